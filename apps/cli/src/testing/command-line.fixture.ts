import { afterEach, beforeEach } from 'vitest';
import { runCli } from '../run-cli.js';
import { jobSummary, runningJob } from './example-job.js';
import { startFakeServer, type FakeServer, type FakeServerState } from './fake-server.js';
import { createFakeHost } from './fake-streams.js';

/** Id of the second job of the fake server, which is completed. */
export const OTHER_JOB_ID = '019b0000-0000-7000-8000-00000000000c';

interface RunResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface CommandLineForSpecs {
  /** What the fake server returns. It is the initial state before each test. */
  readonly state: FakeServerState;
  readonly server: FakeServer;
  /** Runs the program with the arguments, which are separated by blanks. */
  run(argv: string, change?: Parameters<typeof createFakeHost>[0]): Promise<RunResult>;
}

/** Starts a fake server before each test, and closes it afterwards. */
export function useCommandLine(): CommandLineForSpecs {
  let state: FakeServerState;
  let server: FakeServer;
  beforeEach(async () => {
    state = {
      jobs: [jobSummary(), jobSummary({ jobId: OTHER_JOB_ID, status: 'completed' })],
      events: runningJob().records,
      files: { 'output/a.json': '{"a":1}', 'evil.txt': 'x\u001b[2Jy\n' },
    };
    server = await startFakeServer(state);
  });
  afterEach(() => server.close());
  return {
    get state() {
      return state;
    },
    get server() {
      return server;
    },
    run: async (argv, change = {}) => {
      const host = createFakeHost({ env: { PHASELINE_URL: server.url }, ...change });
      const code = await runCli(argv.split(' ').filter(Boolean), host);
      return { code, out: host.stdout.text, err: host.stderr.text };
    },
  };
}
