/** Settings that are paths of files in a function's pod. */
const paths = ["CLUSTER_API_KUBECONFIG"];

/**
 * A function's environment for a rule that is asked on the user's machine: where the function reads a file, the user's
 * own environment may name the file that takes its place. It cannot make a function read one that it does not read.
 */
export function withFilesHere(
  environment: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const named = paths.flatMap((name) => (environment[name] && own[name] ? [[name, own[name]] as const] : []));
  return { ...environment, ...Object.fromEntries(named) };
}
