import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { parseNewerEvents, ToolRunner } from '@phaseline/execution';
import { SecretStore } from '@phaseline/identity';
import { InjectConfig } from '@phaseline/service';
import { EndedCalls } from './ended-calls.js';
import { createSecretReader } from './secret-reader.js';
import { QueueConsumer } from './queue-consumer.js';
import { RunnerPorts } from './runner-ports.js';
import type { BaseToolRunnerConfig } from './tool-runner-config.js';

/** Runs the remote calls named by the messages of the queue `tools`. */
@Injectable()
export class CallWorker implements OnApplicationBootstrap {
  private readonly runner: ToolRunner;

  constructor(
    @InjectConfig() private readonly config: BaseToolRunnerConfig,
    private readonly consumer: QueueConsumer,
    ports: RunnerPorts,
    secrets: SecretStore,
    { callEnds }: EndedCalls,
  ) {
    const { PHASELINE_MAX_TOOL_ATTEMPTS: attempts, PHASELINE_TOOL_BACKOFF_MS: backoffMs } = config;
    const readSecrets = createSecretReader(secrets, ports.repository);
    this.runner = new ToolRunner({ ...ports, limits: { attempts, backoffMs }, readSecrets, callEnds });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.consumer.start({
      name: 'tools',
      concurrency: this.config.PHASELINE_CONCURRENT_TOOL_CALLS,
      describe: ({ jobId, callId }) => `call ${callId} of job ${jobId}`,
      run: (payload, { signal, stalledCount, enclosed }) =>
        this.runner.run({ ...payload, newer: parseNewerEvents(enclosed) }, signal, stalledCount),
      recheck: (jobId) => this.runner.recheck(jobId),
    });
  }
}
