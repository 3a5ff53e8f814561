import { fileURLToPath } from 'node:url';
import {
  buildProgramEnvironment,
  coldStorageVariables,
  readProgramMessages,
  type MessageSchema,
} from '@phaseline/basics/processes';
import type { WhatIfRequest } from '@phaseline/contracts';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { serviceTokens } from '@phaseline/service';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { ApiProblem } from '../problem/api-problem.js';

/** Token of the arguments with which Node.js starts the program that decides recorded jobs again. Specs start it from its source. */
export const WHAT_IF_PROGRAM = Symbol('WHAT_IF_PROGRAM');

/** The compiled program. Its path is the same from `src` and `dist`. */
export const compiledWhatIfProgram: readonly string[] = [
  fileURLToPath(new URL('../../../what-if-program/dist/main.js', import.meta.url)),
];

/** Variables of this process that the program may need to connect to the database. */
const PASSED_ON = [
  ...['HOME', 'PGPASSWORD', 'PGPASSFILE', 'PGSSLMODE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY'],
  ...coldStorageVariables,
];

/** Maximum duration of a run. Clients wait a little longer. */
const TIME_LIMIT_MS = 240_000;

/**
 * Decides recorded jobs again: backtests, bills, and checks of this release. A process of its own does it, because folding many jobs would block the
 * event loop of this one. At most one runs at a time, so that people who ask for figures do not take the database from the jobs. No command is executed.
 */
@Injectable()
export class WhatIfProgram implements BeforeApplicationShutdown {
  private readonly shutdown = new AbortController();
  private isRunning = false;

  constructor(
    @Inject(serviceTokens.config) private readonly config: OrchestratorConfig,
    @Inject(WHAT_IF_PROGRAM) private readonly program: readonly string[],
  ) {}

  /** Reads the messages of a run with `read`, and returns what that returns. Throws ApiProblem if another one runs, or if it takes too long. */
  async run<Message, Result>(
    request: WhatIfRequest,
    messages: MessageSchema<Message>,
    read: (messages: AsyncIterable<Message>) => Promise<Result>,
  ): Promise<Result> {
    if (this.isRunning)
      throw new ApiProblem('what_if_running', 'Not done: the server decides other jobs again. Try again when it has.');
    this.isRunning = true;
    const timeLimit = AbortSignal.timeout(TIME_LIMIT_MS);
    try {
      const signal = AbortSignal.any([timeLimit, this.shutdown.signal]);
      return await read(
        readProgramMessages({
          ...{ arguments: this.program, request, messages, signal },
          env: buildProgramEnvironment(this.listVariables(), PASSED_ON),
          fail: (reason) => new Error(`the program that decides recorded jobs again ended early. ${reason}`),
        }),
      );
    } catch (error) {
      if (!timeLimit.aborted) throw error;
      const seconds = TIME_LIMIT_MS / 1_000;
      throw new ApiProblem(
        'request_refused',
        `Not done: it did not end within ${seconds} s. Choose fewer jobs with maxJobs, since or agent.`,
      );
    } finally {
      this.isRunning = false;
    }
  }

  beforeApplicationShutdown(): void {
    this.shutdown.abort();
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
