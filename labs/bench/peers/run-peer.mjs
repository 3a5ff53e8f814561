/*
 * The common part of the programs of this folder: each of them runs the same jobs on another system. A program is started with a JSON of
 * `PeerOptions` as its argument and prints a JSON of `PeerFigures`.
 *
 * A step is a model call whose answer is recorded durably, and a tool call whose result is recorded durably. Model and tool answer at once.
 */

/**
 * @typedef {object} PeerOptions
 * @property {string} databaseUrl An empty database, for peers that use PostgreSQL.
 * @property {string} folder An empty folder, for peers that have a store of their own.
 * @property {number} jobs Number of jobs that run at once.
 * @property {number} stepsPerJob
 * @property {number} warmUpSeconds For how long such jobs run before, so that the just-in-time compiler and connections are warm.
 */

/**
 * @typedef {object} PeerFigures
 * @property {number} steps Steps in the store of the peer, of the jobs that it says have completed.
 * @property {number} completedJobs Number of jobs that have completed according to the store of the peer.
 * @property {number} seconds From the first submission until the last job has completed.
 * @property {number} stepsPerSecond
 * @property {number} p50Ms Time of a step, from the end of the step before.
 */

/**
 * @typedef {object} Peer
 * @property {(jobIds: readonly string[], stepsPerJob: number, onStep: (jobId: string) => void) => Promise<unknown>} runJobs Runs jobs to
 *   their end, all at once. Calls `onStep` when a step is durable.
 * @property {(prefix: string) => Promise<{ completedJobs: number, steps: number }>} count Counts the jobs whose id begins with a prefix,
 *   and their steps, from the store of the peer.
 * @property {() => Promise<unknown>} close
 */

/** The first steps of a job are not part of the p50. */
const UNMEASURED_STEPS = 4;

/**
 * Runs a peer and prints its figures. Exits when its standard input ends, which it does when the process that started it has gone.
 * @param {(options: PeerOptions) => Promise<Peer>} createPeer
 */
export async function runPeer(createPeer) {
  process.stdin.on('end', () => process.exit(1)).resume();
  const options = /** @type {PeerOptions} */ (JSON.parse(process.argv[2] ?? ''));
  const peer = await createPeer(options);
  try {
    /** @param {string} name */
    const listIds = (name) => Array.from({ length: options.jobs }, (_, index) => `${name}-${index}`);
    const warm = performance.now() + options.warmUpSeconds * 1_000;
    for (let run = 0; performance.now() < warm; run += 1)
      await peer.runJobs(listIds(`warm-up-${run}`), options.stepsPerJob, () => undefined);

    const jobIds = listIds('measured');
    /** @type {Map<string, number[]>} */
    const ends = new Map(jobIds.map((jobId) => [jobId, []]));
    const started = performance.now();
    await peer.runJobs(jobIds, options.stepsPerJob, (jobId) => ends.get(jobId)?.push(performance.now()));
    const seconds = (performance.now() - started) / 1_000;

    const { completedJobs, steps } = await peer.count('measured-');
    const times = [...ends.values()]
      .flatMap((one) => one.slice(1).map((end, index) => ({ index, ms: end - (one[index] ?? NaN) })))
      .filter(({ index }) => index >= UNMEASURED_STEPS)
      .map(({ ms }) => ms)
      .toSorted((left, right) => left - right);
    const p50Ms = times[Math.max(0, Math.ceil(times.length / 2) - 1)] ?? NaN;
    /** @type {PeerFigures} */
    const figures = { completedJobs, steps, seconds, stepsPerSecond: steps / seconds, p50Ms };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
  } finally {
    await peer.close();
  }
  process.exit(0);
}
