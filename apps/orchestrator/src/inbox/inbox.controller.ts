import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { inboxPageSchema, inboxQuerySchema, type InboxItem, type InboxPage, type InboxQuery } from '@phaseline/client';
import { EventStore } from '@phaseline/event-store';
import { listTenantsWithRight } from '@phaseline/identity';
import { Inbox } from '@phaseline/projections';
import { JobRepository } from '@phaseline/repository';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { describeEntry } from './describe-entry.js';

/** What waits for a person, over all jobs. */
@ApiTags('inbox')
@Controller('v1/inbox')
@Requires('inbox:read')
export class InboxController {
  constructor(
    private readonly inbox: Inbox,
    private readonly repository: JobRepository,
    private readonly store: EventStore,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listInbox',
    summary: 'What waits for a person: approvals, questions, blocked todos and blocked jobs, oldest first',
    description:
      'A page may contain fewer entries than requested, because those that were decided meanwhile are left out.',
  })
  @ApiOkResponse({ standardSchema: inboxPageSchema })
  @ApiProblems('invalid_request')
  async list(
    @Query({ schema: toDescribableQuery(inboxQuerySchema) }) query: InboxQuery,
    @Req() request: FastifyRequest,
  ): Promise<InboxPage> {
    const tenants = listTenantsWithRight(getCaller(request), 'inbox:read');
    // One more entry than requested shows whether there is a next page.
    const entries = await this.inbox.list({ ...query, tenants, limit: query.limit + 1 });
    const page = entries.slice(0, query.limit);
    const items: InboxItem[] = [];
    for (const entry of page) {
      const item = await describeEntry(entry, { repository: this.repository, store: this.store });
      if (item) items.push(item);
    }
    const last = page.at(-1);
    return { items, ...(entries.length > query.limit && last ? { nextAfter: last.position } : {}) };
  }
}
