/** The same function, which makes the answer for each key once; by default it goes with the key. */
export function remember<K, V>(
  make: (key: K) => V,
  known: Pick<Map<K, V>, "get" | "set"> = new WeakMap<K & object, V>() as never,
): (key: K) => V {
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = make(key);
      known.set(key, value);
    }
    return value;
  };
}
