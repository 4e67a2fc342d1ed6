/** What scenarios that run side by side share, and what each of them may want to be without for a while. */
export interface SharedSwitch {
  /** One more scenario runs. Resolves when the thing is there. */
  begin(): Promise<void>;
  /** A scenario is over. */
  end(): void;
  /** Resolves when the thing is there, or is not: when all scenarios that run want that, or are over. */
  want(isThere: boolean): Promise<void>;
}

/**
 * `change`: makes the thing come or go. It is there at first. What it rejects with, all that have waited for it reject
 * with.
 */
export function createSharedSwitch(change: (isThere: boolean) => Promise<void>): SharedSwitch {
  let isThere = true;
  let running = 0;
  let waiting: PromiseWithResolvers<void>[] = [];
  let changing = Promise.resolve();

  async function want(wanted: boolean): Promise<void> {
    await changing;
    if (wanted === isThere) return;
    const turn = Promise.withResolvers<void>();
    waiting.push(turn);
    turnIfAllWait();
    await turn.promise;
  }

  function turnIfAllWait(): void {
    if (waiting.length === 0 || waiting.length < running) return;
    const all = waiting;
    waiting = [];
    const changed = change(!isThere);
    changing = changed.then(
      () => {
        isThere = !isThere;
      },
      () => {},
    );
    for (const { resolve } of all) resolve(changed);
  }

  return {
    begin() {
      running++;
      return want(true);
    },
    end() {
      running--;
      turnIfAllWait();
    },
    want,
  };
}
