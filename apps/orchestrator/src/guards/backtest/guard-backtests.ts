import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@phaseline/basics';
import { buildProgramEnvironment, readProgramMessages } from '@phaseline/basics/processes';
import { backtestMessageSchema, type BacktestFigures, type JobSelection } from '@phaseline/contracts';
import type { Guard } from '@phaseline/domain';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { serviceTokens } from '@phaseline/service';
import type { OrchestratorConfig } from '../../orchestrator-config.js';
import { ApiProblem } from '../../problem/api-problem.js';

/** Token of the arguments with which Node.js starts the program that decides recorded jobs again. Specs start it from its source. */
export const WHAT_IF_PROGRAM = Symbol('WHAT_IF_PROGRAM');

/** The compiled program. Its path is the same from `src` and `dist`. */
export const compiledWhatIfProgram: readonly string[] = [
  fileURLToPath(new URL('../../../../what-if-program/dist/main.js', import.meta.url)),
];

/** Variables of this process that the program may need to connect to the database. */
const PASSED_ON = ['HOME', 'PGPASSWORD', 'PGPASSFILE', 'PGSSLMODE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY'];

/** Maximum duration of a backtest. Clients wait a little longer. */
const TIME_LIMIT_MS = 240_000;

/**
 * Runs stored guards on recorded calls. A process of its own does it, because folding many jobs would block the event loop of this one. At
 * most one runs at a time, so that people who ask for figures do not take the database from the jobs. No command is executed.
 */
@Injectable()
export class GuardBacktests implements BeforeApplicationShutdown {
  private readonly shutdown = new AbortController();
  private isRunning = false;

  constructor(
    @Inject(serviceTokens.config) private readonly config: OrchestratorConfig,
    @Inject(WHAT_IF_PROGRAM) private readonly program: readonly string[],
  ) {}

  /** Returns what the guard would have decided about the chosen jobs. Throws ApiProblem if another backtest runs, or if it takes too long. */
  async run(guard: Guard, selection: JobSelection): Promise<BacktestFigures> {
    if (this.isRunning)
      throw new ApiProblem('backtest_running', 'Not done: another backtest runs. Try again when it has ended.');
    this.isRunning = true;
    const timeLimit = AbortSignal.timeout(TIME_LIMIT_MS);
    try {
      return await this.read(guard, selection, AbortSignal.any([timeLimit, this.shutdown.signal]));
    } catch (error) {
      if (!timeLimit.aborted) throw error;
      const seconds = TIME_LIMIT_MS / 1_000;
      throw new ApiProblem(
        'request_refused',
        `Not done: the backtest did not end within ${seconds} s. Choose fewer jobs with maxJobs, since or agent.`,
      );
    } finally {
      this.isRunning = false;
    }
  }

  beforeApplicationShutdown(): void {
    this.shutdown.abort();
  }

  private async read(guard: Guard, selection: JobSelection, signal: AbortSignal): Promise<BacktestFigures> {
    const messages = readProgramMessages({
      arguments: this.program,
      // A guard is JSON; its type has no index signature.
      request: { kind: 'backtest', guard: guard as unknown as JsonObject, figuresOnly: true, ...selection },
      messages: backtestMessageSchema,
      env: buildProgramEnvironment(this.listVariables(), PASSED_ON),
      signal,
      fail: (reason) => new Error(`the program that runs backtests ended early. ${reason}`),
    });
    for await (const message of messages) if (message.kind === 'figures') return message.figures;
    throw new Error('the program that runs backtests reported no figures');
  }

  private listVariables(): Record<string, string> {
    const { DATABASE_URL, PHASELINE_MASTER_KEY, PHASELINE_MASTER_KEY_FILE } = this.config;
    return {
      DATABASE_URL,
      ...(PHASELINE_MASTER_KEY === undefined ? {} : { PHASELINE_MASTER_KEY }),
      ...(PHASELINE_MASTER_KEY_FILE === undefined ? {} : { PHASELINE_MASTER_KEY_FILE }),
    };
  }
}
