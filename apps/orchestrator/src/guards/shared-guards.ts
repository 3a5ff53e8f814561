import { Inject, Injectable } from '@nestjs/common';
import type { Guard } from '@phaseline/domain';
import { GuardRegistry } from '@phaseline/orchestration';
import { INSTALLATION_GUARDS } from '../agents/installation-guards.js';

/** The guards that belong to no agent: those in folders of the installation, and those that are stored. */
@Injectable()
export class SharedGuards {
  constructor(
    @Inject(INSTALLATION_GUARDS) readonly files: readonly Guard[],
    private readonly registry: GuardRegistry,
  ) {}

  /** Returns the guards that phases of a tenant receive now. */
  async list(tenant: string): Promise<readonly Guard[]> {
    return [...this.files, ...(await this.registry.listInForce(tenant))];
  }
}
