/**
 * What every function's process has in its environment, wherever it runs: images set it, and so does each program that
 * starts a bundle on this machine.
 *
 * A function lives for seconds or minutes, and what it reads is garbage at once. By itself V8 lets the young generation
 * grow to 32 MB of what lived through its collections, and glibc's malloc keeps the pieces that lists arrive in, in
 * an arena for each thread; neither gives them back after a long list. With these limits a namespace of 50,000 pods
 * leaves no more behind than one of 100.
 * Starts stay what they were, the code cache is accepted all the same, events that end without a look take a few
 * hundredths more processor time, and a long list about a quarter more.
 */
export const functionEnvironment = {
  NODE_OPTIONS: "--max-semi-space-size=1",
  MALLOC_ARENA_MAX: "1",
  // From this size on, in bytes, memory is mapped for itself and given back when it is freed.
  MALLOC_MMAP_THRESHOLD_: "32768",
};
