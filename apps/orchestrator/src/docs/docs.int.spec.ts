import type { OpenAPIObject } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let document: OpenAPIObject;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  document = (await orchestrator.json('/openapi.json')).body as unknown as OpenAPIObject;
});
afterAll(() => orchestrator.stop());

describe('the description of the API', () => {
  it('has every route, with the name of its operation', () => {
    const routes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { operationId: string }>).map(
        ([method, { operationId }]) => `${method} ${path} ${operationId}`,
      ),
    );
    expect(routes.sort()).toEqual([
      'delete /v1/jobs/{jobId}/files/{path} deleteFile',
      'delete /v1/jobs/{jobId}/hold releaseHold',
      'delete /v1/keys/{prefix} revokeKey',
      'delete /v1/secrets/{name} removeSecret',
      'get /v1/agents listAgents',
      'get /v1/agents/{agent} getAgent',
      'get /v1/alerts listAlerts',
      'get /v1/audit/actions listActions',
      'get /v1/audit/anchors listAnchors',
      'get /v1/audit/verifications/{id} getVerification',
      'get /v1/costs readCosts',
      'get /v1/dead-letters listDeadLetters',
      'get /v1/dead-letters/{id} getDeadLetter',
      'get /v1/guards listGuards',
      'get /v1/guards/{name} getGuard',
      'get /v1/holds listHolds',
      'get /v1/inbox listInbox',
      'get /v1/jobs listJobs',
      'get /v1/jobs/facets countJobs',
      'get /v1/jobs/{jobId} getJob',
      'get /v1/jobs/{jobId}/claims listClaims',
      'get /v1/jobs/{jobId}/compare/{otherJobId} compareJobs',
      'get /v1/jobs/{jobId}/diff diffJob',
      'get /v1/jobs/{jobId}/events readEvents',
      'get /v1/jobs/{jobId}/events/index indexEvents',
      'get /v1/jobs/{jobId}/events/rows listEventRows',
      'get /v1/jobs/{jobId}/explain explainFile',
      'get /v1/jobs/{jobId}/export exportJob',
      'get /v1/jobs/{jobId}/files listFiles',
      'get /v1/jobs/{jobId}/files/{path} readFile',
      'get /v1/jobs/{jobId}/follow-ons listFollowOns',
      'get /v1/jobs/{jobId}/phases/{phase}/steps listModelCalls',
      'get /v1/jobs/{jobId}/phases/{phase}/steps/{step}/prompt readPrompt',
      'get /v1/jobs/{jobId}/repository getRepository',
      'get /v1/jobs/{jobId}/repository/patch readPatch',
      'get /v1/jobs/{jobId}/state readState',
      'get /v1/jobs/{jobId}/timeline readTimeline',
      'get /v1/jobs/{jobId}/workflow readWorkflow',
      'get /v1/keys listKeys',
      'get /v1/learning/calibration readCalibration',
      'get /v1/learning/patterns listLearningPatterns',
      'get /v1/learning/patterns/{pattern}/guard proposeGuard',
      'get /v1/learning/patterns/{pattern}/proposals proposeChanges',
      'get /v1/learning/report readLearningReport',
      'get /v1/learning/traces listLearningTraces',
      'get /v1/learning/traces/{id} readLearningTrace',
      'get /v1/live followChanges',
      'get /v1/me/preferences getPreferences',
      'get /v1/phases listPhases',
      'get /v1/plan-runs/{jobId} getPlanRun',
      'get /v1/plans listPlans',
      'get /v1/plans/{jobId} getPlan',
      'get /v1/plans/{jobId}/schedule.csv readScheduleTable',
      'get /v1/plans/{jobId}/schedule.ics readScheduleCalendar',
      'get /v1/plans/{jobId}/schedule.svg readSchedulePicture',
      'get /v1/plans/{jobId}/trace tracePlan',
      'get /v1/principals listPrincipals',
      'get /v1/principals/{id} getPrincipal',
      'get /v1/processes listProcesses',
      'get /v1/queue-history readQueueHistory',
      'get /v1/queues readQueues',
      'get /v1/retention getRetention',
      'get /v1/retention/runs/{id} getRetentionRun',
      'get /v1/retention/runs/{id}/jobs listRetentionRunJobs',
      'get /v1/secrets listSecrets',
      'get /v1/tenants listTenants',
      'get /v1/tenants/{tenant} getTenant',
      'get /v1/tool-calls listToolCalls',
      'get /v1/whoami whoAmI',
      'post /v1/agents/validate validateAgent',
      'post /v1/audit/verifications startVerification',
      'post /v1/dead-letters/{id}/discard discardDeadLetter',
      'post /v1/dead-letters/{id}/retry retryDeadLetter',
      'post /v1/guards addGuard',
      'post /v1/guards/{name}/backtests backtestGuard',
      'post /v1/guards/{name}/promote promoteGuard',
      'post /v1/guards/{name}/rollback rollBackGuard',
      'post /v1/jobs submitJob',
      'post /v1/jobs/bulk controlJobs',
      'post /v1/jobs/{jobId}/answer answerQuestion',
      'post /v1/jobs/{jobId}/approve approveToolCall',
      'post /v1/jobs/{jobId}/cancel cancelJob',
      'post /v1/jobs/{jobId}/erase eraseJob',
      'post /v1/jobs/{jobId}/fork forkJob',
      'post /v1/jobs/{jobId}/guards/{name}/override overrideGuard',
      'post /v1/jobs/{jobId}/guards/{name}/revoke revokeGuardOverride',
      'post /v1/jobs/{jobId}/pause pauseJob',
      'post /v1/jobs/{jobId}/refuse refuseToolCall',
      'post /v1/jobs/{jobId}/repository/outputs publishRepository',
      'post /v1/jobs/{jobId}/repository/patch requestPatch',
      'post /v1/jobs/{jobId}/resume resumeJob',
      'post /v1/jobs/{jobId}/retry retryJob',
      'post /v1/jobs/{jobId}/steer steerJob',
      'post /v1/jobs/{jobId}/upgrade upgradeJob',
      'post /v1/keys createKey',
      'post /v1/learning/traces/{id}/promotions promoteLearningTrace',
      'post /v1/learning/traces/{id}/withdrawals withdrawLearningTrace',
      'post /v1/login-links createLoginLink',
      'post /v1/plans submitPlan',
      'post /v1/plans/{jobId}/reply replyToPlan',
      'post /v1/plans/{jobId}/runs runPlan',
      'post /v1/principals createPrincipal',
      'post /v1/principals/{id}/disable disablePrincipal',
      'post /v1/principals/{id}/enable enablePrincipal',
      'post /v1/principals/{id}/grant grantRole',
      'post /v1/principals/{id}/link linkAccount',
      'post /v1/principals/{id}/revoke revokeRole',
      'post /v1/principals/{id}/unlink unlinkAccount',
      'post /v1/retention/runs startRetentionRun',
      'post /v1/what-if/backtests tryGuard',
      'post /v1/what-if/bills computeBill',
      'post /v1/what-if/release-checks checkRelease',
      'put /v1/jobs/{jobId}/files/{path} writeFile',
      'put /v1/jobs/{jobId}/hold placeHold',
      'put /v1/me/preferences changePreferences',
      'put /v1/secrets/{name} storeSecret',
      'put /v1/tenants/{tenant} setTenant',
      'put /v1/tenants/{tenant}/retention setRetention',
    ]);
  });

  it('describes the parameters of a route', () => {
    const parameters = document.paths['/v1/jobs/{jobId}/files/{path}']?.get?.parameters;
    expect(parameters).toMatchObject([
      { name: 'jobId' },
      { name: 'at' },
      { name: 'range' },
      { name: 'if-none-match' },
      { name: 'path', in: 'path' },
    ]);
  });

  it('has no dangling references', () => {
    const known = Object.keys(document.components?.schemas ?? {});
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name!,
    );
    expect(references.length).toBeGreaterThan(10);
    expect([...new Set(references)].filter((name) => !known.includes(name))).toEqual([]);
    expect(JSON.stringify(document)).not.toMatch(/#\/(\$defs|definitions)\//);
  });

  it('is generated from the schemas that check requests: bodies, queries and responses', () => {
    const submit = document.paths['/v1/jobs']?.post;
    expect(submit?.requestBody).toMatchObject({
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/SubmitRequest' } },
        'multipart/form-data': { schema: { properties: { files: { items: { format: 'binary' } } } } },
      },
    });
    expect(document.components?.schemas?.['SubmitRequest']).toMatchObject({
      required: ['agent'],
      properties: { agent: { type: 'string', maxLength: 100 } },
    });
    expect(Object.keys(submit?.responses ?? {}).sort()).toEqual([
      '200',
      '201',
      '400',
      '401',
      '403',
      '409',
      '410',
      '413',
      '415',
      '422',
      '429',
      '500',
      '501',
    ]);
    const query = document.paths['/v1/jobs/{jobId}/events']?.get?.parameters;
    expect(query).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'limit',
          in: 'query',
          schema: expect.objectContaining({ type: 'integer', maximum: 1_000 }),
        }),
      ]),
    );
    const answer = document.paths['/v1/jobs/{jobId}']?.get?.responses['200'];
    expect(answer).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/JobSummary' } } },
    });
    expect(document.components?.schemas?.['JobSummary']).toMatchObject({
      properties: { usage: { $ref: '#/components/schemas/Usage' } },
    });
  });

  it('names a server, and for each operation the responses to an unknown key, a foreign origin and too many requests', () => {
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) }]);
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { responses: object }>).map(([method, { responses }]) => ({
        operation: `${method} ${path}`,
        missing: ['401', '403', '429', '500'].filter((status) => !(status in responses)),
      })),
    );
    expect(operations.length).toBeGreaterThan(20);
    expect(operations.filter(({ missing }) => missing.length > 0)).toEqual([]);
  });

  it('can be read on a page that needs no other server', async () => {
    const page = await orchestrator.fetch('/docs');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    const html = await page.text();
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) {
      expect(link).toMatch(/^\/docs\//);
      const asset = await orchestrator.fetch(link);
      expect([link, asset.status]).toEqual([link, 200]);
      await asset.arrayBuffer();
    }
  });
});

describe('the agents', () => {
  it('are listed with their purpose', async () => {
    const { items } = (await orchestrator.json('/v1/agents')).body as { items: { name: string }[] };
    expect({ items: items.filter(({ name }) => name === 'writer') }).toEqual({
      items: [
        {
          name: 'writer',
          displayName: 'Writer',
          description: 'Writes what it is asked for.',
          workflow: 'short',
          deliverables: ['output/text.md'],
          budgets: { maxCostUsd: 5 },
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    });
  });

  it('with errors prevent the start, with the file and the line', async () => {
    await expect(
      startOrchestrator({}, { files: { 'agents/writer/agent.yaml': 'name: writer\ndisplayName: [\n' } }),
    ).rejects.toThrow(/agents\/writer\/agent\.yaml:\d+:\d+: not valid YAML/);
    await expect(
      startOrchestrator(
        {},
        { files: { 'agents/writer/agent.yaml': 'name: writer\ndisplayName: W\nworkflow: long\ntools: {}\n' } },
      ),
    ).rejects.toMatchObject({ code: 'definitions_invalid', exitCode: 78 });
  });
});
