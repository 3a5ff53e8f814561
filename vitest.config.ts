import { createHash } from 'node:crypto';
import { defineConfig } from 'vitest/config';

/**
 * Slow specs: they start many processes, move much data or try many cases. `npm test` excludes them, `npm run test:thorough` runs
 * them, and CI runs `npm test` and a sixth of them.
 */
const thorough = [
  'test/planning/approvals.int.spec.ts',
  'test/planning/plan-threads.int.spec.ts',
  'test/planning/plan-limits.int.spec.ts',
  'test/docs/questions.e2e.spec.ts',
  'test/docs/plans.e2e.spec.ts',
  'test/system/questions.e2e.spec.ts',
  'test/structure/service-bundles.unit.spec.ts',
  'test/system/verified-work.e2e.spec.ts',
  'apps/cli/src/backup/backup.e2e.spec.ts',
  'apps/cli/src/cli.int.spec.ts',
  'apps/cli/src/projection/projections.int.spec.ts',
  'apps/cli/src/stack/demo.e2e.spec.ts',
  'apps/cli/src/stack/migrate.int.spec.ts',
  'apps/cli/src/secret/read-hidden.e2e.spec.ts',
  'apps/cli/src/stack/start-stack.int.spec.ts',
  'apps/orchestrator/src/access/access-matrix.int.spec.ts',
  'apps/orchestrator/src/body/worst-bodies.int.spec.ts',
  'apps/orchestrator/src/events/revoked-streams.int.spec.ts',
  'apps/orchestrator/src/jobs/tenant-of-submission.int.spec.ts',
  'apps/orchestrator/src/control/replicas.int.spec.ts',
  'apps/orchestrator/src/doctor/waits-for.int.spec.ts',
  'apps/orchestrator/src/erase/erase.int.spec.ts',
  'apps/orchestrator/src/files/large-files.int.spec.ts',
  'apps/orchestrator/src/health/catching-up.int.spec.ts',
  'apps/tool-runner/src/repositories/collect-output.unit.spec.ts',
  'apps/tool-runner/src/repositories/import-repository.unit.spec.ts',
  'apps/tool-runner/src/repositories/import-sources.unit.spec.ts',
  'apps/orchestrator/src/jobs/submit-form.int.spec.ts',
  'apps/orchestrator/src/queues/queue-rates.int.spec.ts',
  'apps/orchestrator/src/reconciler/lost-message.int.spec.ts',
  'libs/event-store/src/append/concurrent-writers.int.spec.ts',
  'libs/event-store/src/encryption/encrypted-blobs.int.spec.ts',
  'libs/learning/src/embeddings/fused-search.int.spec.ts',
  'libs/local-stack/src/postgres/server-binaries.int.spec.ts',
  'libs/local-stack/src/postgres/start-postgres.int.spec.ts',
  'libs/local-stack/src/supervisor/supervise-services.int.spec.ts',
  'libs/packs/remote/src/mcp/mcp-pack.int.spec.ts',
  'libs/packs/remote/src/vectors/pgvector.int.spec.ts',
  'libs/model/src/chat-completions-shapes.unit.spec.ts',
  'libs/orchestration/src/admission/fairness.unit.spec.ts',
  'libs/rehearsal/src/policies/feature-loop/example/example-features.unit.spec.ts',
  'libs/service/src/bootstrap-service.int.spec.ts',
  'libs/service/src/health/health.int.spec.ts',
  'libs/testing/src/create-test-database.int.spec.ts',
  'labs/bench/src/context/tool-search.int.spec.ts',
  'labs/bench/src/workspace-bench.int.spec.ts',
  'labs/bench/src/step-costs/measure-costs.int.spec.ts',
  'libs/harness/src/engine/run-script.int.spec.ts',
  'libs/harness/src/engine/tool-packs.int.spec.ts',
  'test/identity/producers.int.spec.ts',
  'test/identity/tenant-isolation.int.spec.ts',
  'apps/orchestrator/src/queues/queue-callers.int.spec.ts',
  'labs/lazy/src/run/each-kind.int.spec.ts',
  'labs/lazy/src/run/verifiers.int.spec.ts',
  'labs/stuck/src/misbehaviour/misbehaviour.unit.spec.ts',
  'libs/harness/src/read-models/check.int.spec.ts',
  'libs/harness/src/read-models/rebuild.int.spec.ts',
  'libs/harness/src/memory/queues.contract.int.spec.ts',
  'labs/simulator/src/simulator.unit.spec.ts',
  'labs/soak/src/commands/soak.int.spec.ts',
  'labs/soak/src/jobs/jobs.int.spec.ts',
  'labs/soak/src/log/log.int.spec.ts',
  'libs/harness/src/engine/cold-storage-crashes.int.spec.ts',
  'libs/packs/remote/src/commands/escapes/escapes.unit.spec.ts',
  'libs/packs/remote/src/commands/run-command.limits.unit.spec.ts',
  'libs/sandbox/src/proxy/network-clients.unit.spec.ts',
  'libs/verification/src/run/browser.unit.spec.ts',
  'libs/packs/inline/src/scripts/run-script.int.spec.ts',
  'test/audit/tampering.int.spec.ts',
  'test/evolution/side-by-side.int.spec.ts',
  'test/system/repositories-page.e2e.spec.ts',
  'test/system/repository.e2e.spec.ts',
  'test/system/repository-unshare.e2e.spec.ts',
  'test/system/repository-kills.e2e.spec.ts',
  'test/repository/pull-requests.int.spec.ts',
  'test/repository/repository-jobs.int.spec.ts',
  'test/repository/large-import.int.spec.ts',
  'test/system/secrets-in-redis.e2e.spec.ts',
  'test/repository/killed-work.int.spec.ts',
  'test/system/first-agent.e2e.spec.ts',
  'test/system/chaos-postgres.e2e.spec.ts',
  'test/system/chaos-redis.e2e.spec.ts',
  'test/system/control.e2e.spec.ts',
  'test/system/creator-research.e2e.spec.ts',
  'test/system/creator-validator.e2e.spec.ts',
  'test/system/encryption.e2e.spec.ts',
  'test/system/idle-stack.e2e.spec.ts',
  'test/planning/plan-run.e2e.spec.ts',
  'test/planning/plan-cases.e2e.spec.ts',
  'test/system/kill-services.e2e.spec.ts',
  'test/system/metrics.e2e.spec.ts',
  'test/system/live-answers.e2e.spec.ts',
  'test/system/pattern-bombs.e2e.spec.ts',
  'test/system/readme.e2e.spec.ts',
  'test/docs/explain-a-line.e2e.spec.ts',
  'test/docs/follow-on-agents.e2e.spec.ts',
  'test/docs/feature-loop.e2e.spec.ts',
  'test/system/feature-loop-kills.e2e.spec.ts',
  'test/system/follow-on-kills.e2e.spec.ts',
  'test/docs/checks-page.e2e.spec.ts',
  'test/docs/guards.e2e.spec.ts',
  'test/docs/experiments.e2e.spec.ts',
  'test/docs/stored-guards.e2e.spec.ts',
  'test/docs/learn-a-guard.e2e.spec.ts',
  'test/docs/import-hooks.e2e.spec.ts',
  'test/docs/secrets-and-sign-in.e2e.spec.ts',
  'test/docs/identity.e2e.spec.ts',
  'test/docs/prompts-and-retention.e2e.spec.ts',
  'test/docs/edit-files.e2e.spec.ts',
  'test/docs/sandbox.e2e.spec.ts',
  'test/docs/verifiers-page.e2e.spec.ts',
  'test/system/secrets.e2e.spec.ts',
  'test/system/telemetry.e2e.spec.ts',
];
/** Specs that drive the dashboard in a browser. `npm run test:dashboard` runs them, after building the pages. */
const browser = ['test/dashboard/**/*.spec.ts'];
/** PHASELINE_SAMPLE, the hash of a commit, reduces the slow specs to a sixth, which it determines: each commit runs others. */
const sample = process.env['PHASELINE_SAMPLE'];
const rank = (file: string): string => createHash('sha256').update(`${sample} ${file}`).digest('hex');
const sampled = sample
  ? thorough.toSorted((one, other) => rank(one).localeCompare(rank(other))).slice(0, Math.ceil(thorough.length / 6))
  : thorough;
const sources = ['@phaseline/source'];
const folders = ['{apps,labs,libs,libs/packs}/*/src/**', 'test/**'];
const findAll = (ending: string): string[] => folders.map((folder) => `${folder}/${ending}`);

/**
 * `--mode thorough` runs the slow specs, `--mode browser` those in a browser, `--mode live` those that pay for a real model, `--mode all` (or naming files) all specs, `--mode check` those
 * that need no server, the default mode all but the slow ones and those in a browser.
 */
export default defineConfig(({ mode }) => {
  const hasFileArguments = process.argv.some((argument) => /^(?:\.\/)?(?:apps|labs|libs|test)\//.test(argument));
  const isCheck = mode === 'check';
  const isThorough = mode === 'thorough';
  const isBrowser = mode === 'browser';
  const isLive = mode === 'live';
  const isQuick = isCheck || (!isThorough && !isBrowser && !isLive && mode !== 'all' && !hasFileArguments);
  const common = {
    exclude: ['**/node_modules/**', '**/dist/**', ...(isQuick ? [...thorough, ...browser] : [])],
    setupFiles: ['./test/setup.ts'],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // The default timeout of one second is too short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  };
  // Tests and test/global-setup.ts import the sources of other projects, not their builds.
  const resolve = {
    ssr: { resolve: { conditions: sources } },
    environments: { __vitest__: { resolve: { conditions: sources } } },
  };
  const withoutServer = {
    ...resolve,
    // Specs of one worker share the loaded modules, which halves the time of a run.
    test: { ...common, name: 'unit', include: findAll('*.unit.spec.ts'), isolate: false },
  };
  const withServers = {
    ...resolve,
    test: {
      ...common,
      name: isThorough ? 'thorough' : isBrowser ? 'browser' : isLive ? 'live' : 'servers',
      include: isThorough ? sampled : isBrowser ? browser : findAll(isLive ? '*.live.spec.ts' : '*.{int,e2e}.spec.ts'),
      globalSetup: ['./test/global-setup.ts'],
    },
  };
  return {
    test: {
      projects: [...(isThorough || isBrowser || isLive ? [] : [withoutServer]), ...(isCheck ? [] : [withServers])],
      // Most specs wait for processes, locks and servers, so there are more workers than CPUs. Those of a whole system do not wait: each
      // starts seven processes, and too many at once are not ready in time.
      maxWorkers: isBrowser || isLive ? 1 : isThorough ? 2 : 4,
      reporters: process.env['CI']
        ? // CI computes its closing line from this report.
          ['default', ['json', { outputFile: `node_modules/.cache/vitest-${mode}.json` }]]
        : ['default'],
    },
  };
});
