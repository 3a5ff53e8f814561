import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { processListSchema, sandboxRecordSchema, type ProcessList, type ProcessRecord } from '@phaseline/client';
import { ProcessRegistry, type ProcessReport } from '@phaseline/cluster';
import { parseStreamName } from '@phaseline/domain';
import { hasRight, type Caller } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { JobTenants } from '../access/job-tenants.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';

/** The processes of the system. Work of tenants that the caller may not see is counted, not named. */
@ApiTags('processes')
@Requires('processes:read')
@Controller('v1/processes')
export class ProcessesController {
  constructor(
    private readonly processes: ProcessRegistry,
    private readonly tenants: JobTenants,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'listProcesses', summary: 'The processes of the system, and the work that they hold' })
  @ApiOkResponse({ standardSchema: processListSchema })
  @ApiProblems('not_ready')
  async list(@Req() request: FastifyRequest): Promise<ProcessList> {
    const caller = getCaller(request);
    const reports = await this.processes.listReports();
    return { items: await Promise.all(reports.map((report) => this.toRecord(report, caller))) };
  }

  private async toRecord(report: ProcessReport, caller: Caller): Promise<ProcessRecord> {
    const { processId, service, host, version, startedAt, heartbeatAt, silentForMs, isDead, problems } = report;
    const { pid, queues, load } = report;
    const sandbox = sandboxRecordSchema.safeParse(report.abilities.sandbox);
    const leases: ProcessRecord['leases'] = [];
    for (const lease of report.leases) {
      const [streamId = '', callId] = lease.split('/');
      const stream = parseStreamName(streamId);
      const tenant = stream?.kind === 'phase' ? await this.tenants.find(stream.jobId) : undefined;
      if (stream?.kind !== 'phase' || tenant === undefined || !hasRight(caller, 'processes:read', tenant)) continue;
      leases.push({ jobId: stream.jobId, phase: stream.phase, ...(callId === undefined ? {} : { callId }) });
    }
    return {
      ...{ processId, service, host, version, startedAt, heartbeatAt, heartbeatAgeMs: silentForMs, isDead },
      ...(pid === undefined ? {} : { pid }),
      ...(queues === undefined ? {} : { queues: [...queues] }),
      ...(load === undefined ? {} : { load: { running: load.running, concurrency: load.concurrency } }),
      problems: [...problems],
      ...(sandbox.success ? { sandbox: sandbox.data } : {}),
      leases,
      otherLeases: report.leases.length - leases.length,
    };
  }
}
