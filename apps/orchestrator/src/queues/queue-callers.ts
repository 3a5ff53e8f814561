import { Injectable } from '@nestjs/common';
import { KeyDirectory, type Caller } from '@phaseline/identity';
import { parseProducerLogin, Queues, type DeliveryContext } from '@phaseline/queue';
import { findConfiguredCaller, findLocalCaller, InjectConfig } from '@phaseline/service';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { ApiProblem } from '../problem/api-problem.js';

/** Finds the principals for whom messages on the queue `jobs` are. No message can name its principal itself. */
@Injectable()
export class QueueCallers {
  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    private readonly directory: KeyDirectory,
    private readonly queues: Queues,
  ) {}

  /**
   * Returns the principal with its present roles: that of the login which PostgreSQL authenticated, else the configured one, else the
   * local user where callers need no key. Throws ApiProblem `forbidden`.
   */
  async find({ messageId }: Pick<DeliveryContext, 'messageId'>): Promise<Caller> {
    const login = this.queues.backend === 'postgres' ? parseProducerLogin(messageId) : undefined;
    if (login !== undefined) return (await this.directory.findPrincipal(login)) ?? throwUnknown(login);
    const configured = this.config.PHASELINE_QUEUE_PRINCIPAL;
    if (configured === undefined) return (await findLocalCaller(this.config, this.directory)) ?? throwUnnamed();
    return (
      findConfiguredCaller(configured, this.config) ??
      (await this.directory.findPrincipal(configured)) ??
      throwUnknown(configured)
    );
  }
}

function throwUnknown(id: string): never {
  throw new ApiProblem(
    'forbidden',
    `The message was sent for the principal ${id}, which does not exist or is disabled. An administrator can create it as a service, and grant it the role "operator" for a tenant.`,
  );
}

function throwUnnamed(): never {
  throw new ApiProblem(
    'forbidden',
    'Nothing proves who sent the message. Send it with a login of `phaseline producers create`, or set PHASELINE_QUEUE_PRINCIPAL to a principal that may submit jobs.',
  );
}
