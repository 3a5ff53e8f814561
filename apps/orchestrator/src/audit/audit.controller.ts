import { Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { countEvents, readNewestAnchors, readNewestReceipt } from '@phaseline/audit';
import {
  actionPageSchema,
  actionsQuerySchema,
  anchorPageSchema,
  anchorsQuerySchema,
  verificationRequestSchema,
  verificationSchema,
  type ActionPage,
  type ActionsQuery,
  type AnchorPage,
  type AnchorsQuery,
  type ParsedVerificationRequest,
  type Verification,
} from '@phaseline/client';
import { hasRight, listTenantsWithRight, ALL_TENANTS } from '@phaseline/identity';
import { getCaller, InjectConfig, InjectPool } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobNotFound } from '../problem/api-problem.js';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { ApiProblem } from '../problem/api-problem.js';
import { invalidRequest } from '../problem/validation.pipe.js';
import { LogVerifications } from './log-verifications.js';
import { readActions, type ActionsFilter } from './read-actions.js';
import { toAnchorRecord } from './to-audit-records.js';

/** The proofs of the log, and who did what. */
@ApiTags('audit')
@Controller('v1/audit')
export class AuditController {
  constructor(
    @InjectPool() private readonly pool: Pool,
    @InjectConfig() private readonly config: OrchestratorConfig,
    private readonly verifications: LogVerifications,
  ) {}

  @Get('anchors')
  @Requires('audit:read')
  @ApiOperation({
    operationId: 'listAnchors',
    summary: 'List the anchors of the log, newest first, with the state of their receipts',
  })
  @ApiOkResponse({ standardSchema: anchorPageSchema })
  @ApiProblems('invalid_request', 'forbidden')
  async listAnchors(
    @Query({ schema: toDescribableQuery(anchorsQuerySchema) }) { before, limit }: AnchorsQuery,
  ): Promise<AnchorPage> {
    // One more than requested shows whether there is a next page.
    const anchors = await readNewestAnchors(this.pool, { before, limit: limit + 1 });
    const folder = this.config.PHASELINE_AUDIT_RECEIPTS_DIR;
    const newest = folder === undefined ? undefined : ((await readNewestReceipt(folder))?.number ?? 0);
    const items = anchors.slice(0, limit).map((anchor) => toAnchorRecord(anchor, newest));
    const hasKey = this.config.PHASELINE_AUDIT_KEY_FILE !== undefined;
    return { items, hasKey, ...(anchors.length > limit ? { nextBefore: items.at(-1)!.number } : {}) };
  }

  @Post('verifications')
  @HttpCode(202)
  @Requires('audit:read')
  @ApiOperation({
    operationId: 'startVerification',
    summary: 'Verify the log, or one job: every hash, the anchors, files and claims',
    description:
      'The process that received the request verifies, one verification at a time; a second request for the same returns the running one. ' +
      'Read it until it has ended. It is remembered by this process only, until it stops. A server that could be changed together with its ' +
      'log proves little: auditors verify an export, or the database, with `phaseline audit verify`.',
  })
  @ApiAcceptedResponse({ standardSchema: verificationSchema })
  @ApiProblems('invalid_request', 'forbidden', 'job_not_found', 'request_refused')
  async start(
    @Body({ schema: verificationRequestSchema.prefault({}) }) request: ParsedVerificationRequest,
  ): Promise<Verification> {
    const { jobId } = request;
    if (jobId !== undefined && (await countEvents(this.pool, jobId)) === 0) throw jobNotFound(jobId);
    return this.verifications.start(request);
  }

  @Get('verifications/:id')
  @Requires('audit:read')
  @ApiOperation({ operationId: 'getVerification', summary: 'How far a verification of the log is, or what it found' })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiOkResponse({ standardSchema: verificationSchema })
  @ApiProblems('forbidden', 'run_not_found')
  get(@Param('id') id: string): Verification {
    const found = this.verifications.get(id.toLowerCase());
    if (found) return found;
    throw new ApiProblem(
      'run_not_found',
      `This process knows no verification ${id.slice(0, 100)}: it was started elsewhere, or long ago. Start one with POST /v1/audit/verifications.`,
    );
  }

  @Get('actions')
  @Requires('jobs:read')
  @ApiOperation({
    operationId: 'listActions',
    summary: 'What persons and keys did, latest first: submissions, approvals, answers, overrides, new keys',
    description:
      'Contains the jobs of the tenants in which the caller has the right jobs:read; with the right audit:read also actions that concern the ' +
      'system. A page reads a bounded part of the log, so it may be empty while there are more pages.',
  })
  @ApiOkResponse({ standardSchema: actionPageSchema })
  @ApiProblems('invalid_request')
  async listActions(
    @Query({ schema: toDescribableQuery(actionsQuerySchema) }) { cursor, ...query }: ActionsQuery,
    @Req() request: FastifyRequest,
  ): Promise<ActionPage> {
    const caller = getCaller(request);
    const { items, next } = await readActions(this.pool, {
      ...query,
      after: cursor === undefined ? undefined : parseCursor(cursor),
      tenants: listTenantsWithRight(caller, 'jobs:read'),
      withSystem: query.tenant === undefined && hasRight(caller, 'audit:read', ALL_TENANTS),
    });
    return { items: [...items], ...(next ? { nextCursor: `${next.transaction}-${next.position}` } : {}) };
  }
}

/** Parses a cursor. Throws ApiProblem. */
function parseCursor(cursor: string): NonNullable<ActionsFilter['after']> {
  const [, transaction, position] = /^(\d{1,18})-(\d{1,18})$/.exec(cursor) ?? [];
  if (transaction !== undefined && position !== undefined) return { transaction, position };
  throw invalidRequest([{ path: 'cursor', message: 'expected the "nextCursor" of the previous page' }]);
}
