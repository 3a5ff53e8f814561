import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ProcessRegistry } from '@phaseline/cluster';
import { parseNetworks, Sandbox } from '@phaseline/sandbox';
import { InjectConfig, InjectLogger, toSandboxSettings } from '@phaseline/service';
import type { Logger } from 'pino';
import type { ToolRunnerConfig } from './tool-runner-config.js';

const sandboxes = new WeakMap<ToolRunnerConfig, Sandbox>();

/** Returns the sandbox of this process. */
export function getSandbox(config: ToolRunnerConfig): Sandbox {
  const known = sandboxes.get(config);
  if (known) return known;
  const rule = { allowed: parseNetworks(config.PHASELINE_ALLOWED_PRIVATE_NETWORKS) };
  const sandbox = new Sandbox(toSandboxSettings(config), rule);
  sandboxes.set(config, sandbox);
  return sandbox;
}

/**
 * Tests the sandbox when the service starts, and reports it with the heartbeats. Other tools work without one, so the service does.
 */
@Injectable()
export class SandboxProbe implements OnApplicationBootstrap {
  constructor(
    @InjectConfig() private readonly config: ToolRunnerConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly processes: ProcessRegistry,
  ) {}

  onApplicationBootstrap(): void {
    getSandbox(this.config)
      .check()
      .then(
        (sandbox) => {
          this.processes.setAbility('sandbox', sandbox);
          if (sandbox.mechanism === 'none')
            this.logger.warn({ sandbox }, 'commands are not contained, because PHASELINE_SANDBOX is "none"');
          else this.logger.info({ sandbox }, 'commands are contained');
        },
        (error: unknown) => {
          const reasons = [error instanceof Error ? error.message : String(error)];
          this.processes.setAbility('sandbox', { mechanism: null, reasons });
          this.logger.warn({ error }, 'commands are refused, because there is no sandbox');
        },
      );
  }
}
