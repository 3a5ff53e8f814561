/** How a table grows, and what limits it. Texts are Markdown, for `docs/reference/tables.md`. */
export interface TableGrowth {
  readonly growsWith: string;
  readonly boundedBy: string;
}

const byPeople = (what: string): TableGrowth => ({
  growsWith: what,
  boundedBy: 'what administrators and people create',
});
const oneRow: TableGrowth = { growsWith: 'nothing', boundedBy: 'one row' };
/** Read models can be rebuilt only as long as the events of their jobs exist, and then must be the same. */
const readModel = (what: string): TableGrowth => ({
  growsWith: what,
  boundedBy: 'the job: rows are rebuilt from its events, and are kept as long as these',
});
const log = (what: string): TableGrowth => ({
  growsWith: what,
  boundedBy: 'the log: append-only, and needed to verify it',
});
const content = (what: string): TableGrowth => ({
  growsWith: what,
  boundedBy: '`retention set --files-days`; content to which no event refers, `phaseline blobs collect`',
});
const vectors = (what: string): TableGrowth => ({
  growsWith: what,
  boundedBy: '`retention set --vectors-days`, else `--files-days`',
});
const unusedQueueFeature: TableGrowth = { growsWith: 'a feature of BullMQ that is not used', boundedBy: 'no rows' };
const unbounded = (growsWith: string): TableGrowth => ({ growsWith, boundedBy: 'nothing' });

/** Tables of the schema `phaseline`. The versions of a read model (`jobs_v1`) and its template have one entry. */
export const phaselineTables: Readonly<Record<string, TableGrowth>> = {
  anchored_heads: log('streams that changed since the anchor before'),
  anchors: log('time, while the log changes (`PHASELINE_AUDIT_ANCHOR_INTERVAL_MS`)'),
  audit_keys: byPeople('keys that sign anchors'),
  blob_manifests: content('files larger than 1 MiB'),
  blob_mark_progress: oneRow,
  blob_marks: log('different contents, at 32 bytes each'),
  blob_pieces: content('files larger than 1 MiB'),
  blobs: content('different files and long texts'),
  cache_writers: {
    growsWith: 'jobs that write to the cache',
    boundedBy: 'removed with the last requirement that the job stated',
  },
  cached_requirements: {
    growsWith: 'requirements of documents',
    boundedBy: '`PHASELINE_KEEP_REQUIREMENTS_DAYS` after the end of every job that used the requirement',
  },
  child_jobs: readModel('delegated tasks, at one row per child job'),
  cold_archives: { growsWith: 'moves to cold storage', boundedBy: 'one row per archive, which says how to find it' },
  cold_candidates: { growsWith: 'ended jobs', boundedBy: '`retention set --cold-days`; one row per job' },
  cold_streams: { growsWith: 'phases in cold storage', boundedBy: 'one row per phase, which says how to find it' },
  costs: readModel('jobs, days and models'),
  dead_letters: {
    growsWith: 'messages that failed',
    boundedBy: '`PHASELINE_KEEP_DEAD_LETTERS_DAYS` after a person retried or discarded them',
  },
  decisions: readModel('jobs and guards'),
  encrypted_blobs: { growsWith: 'files of encrypted jobs', boundedBy: '`phaseline erase`' },
  events: log('steps'),
  experiences: { growsWith: 'phases', boundedBy: 'the newest 500 per agent and tenant' },
  file_reference_progress: oneRow,
  file_references: unbounded('jobs and their files'),
  follow_on_batches: {
    growsWith: 'jobs that are started for requirements of the cache',
    boundedBy: 'removed with the last requirement of the batch; the newest batch stays',
  },
  follow_on_requirements: {
    growsWith: 'requirements for which a job was started',
    boundedBy: '`PHASELINE_KEEP_REQUIREMENTS_DAYS` after the end of every job that used the requirement',
  },
  graph_calls: {
    growsWith: 'calls that change the graph',
    boundedBy: '`PHASELINE_KEEP_CALL_RESULTS_DAYS` after the end of the job',
  },
  graph_edges: { growsWith: 'what agents store', boundedBy: 'what agents delete; the graph is shared by jobs' },
  graph_nodes: { growsWith: 'what agents store', boundedBy: 'what agents delete; the graph is shared by jobs' },
  guards: byPeople('stored guards'),
  hand_over_secret: oneRow,
  interaction_policies: byPeople('users with preferences'),
  job_keys: { growsWith: 'encrypted jobs', boundedBy: 'the log: an erased key leaves a row that says so' },
  jobs: readModel('jobs'),
  learning_embeddings: { growsWith: 'learning traces', boundedBy: 'removed with their learning trace' },
  learning_traces: {
    growsWith: 'refusals, failures and decisions',
    boundedBy: '`retention set --learning-days`; promoted ones, promotions and overrides of guards stay',
  },
  login_links: { growsWith: 'sign-ins', boundedBy: '20 per principal; removed within minutes after they expire' },
  migrations: { growsWith: 'releases', boundedBy: 'one row per migration' },
  pattern_decisions: readModel('plans'),
  phases: readModel('phases'),
  plans: readModel('plans'),
  preference_questions: readModel('questions about preferences'),
  principal_identities: byPeople('identities at the OpenID provider'),
  principal_keys: byPeople('API keys'),
  principal_roles: byPeople('roles of principals'),
  principals: byPeople('principals'),
  processes: { growsWith: 'starts of processes', boundedBy: 'removed one day after the last heartbeat' },
  quarantine: { growsWith: 'streams that fail repeatedly', boundedBy: 'removed once the stream works or is released' },
  queue_depth: readModel('minutes in which a job was in a queue'),
  read_models: { growsWith: 'releases', boundedBy: 'one row per version of a read model' },
  read_models_behind: {
    growsWith: 'jobs with events of a newer release',
    boundedBy: 'removed once this release reads them',
  },
  released_files: { growsWith: 'jobs whose files were removed', boundedBy: 'the job, at one row per job' },
  requirement_outcomes: {
    growsWith: 'claims of requirements',
    boundedBy: '`PHASELINE_KEEP_REQUIREMENTS_DAYS` after the end of every job that used the requirement',
  },
  requirement_statements: {
    growsWith: 'calls that write to the cache',
    boundedBy: '`PHASELINE_KEEP_REQUIREMENTS_DAYS` after the end of every job that used the requirement',
  },
  retention_candidates: { growsWith: 'ended jobs', boundedBy: '`retention set --files-days`; one row per job' },
  retention_run_jobs: { growsWith: 'runs of retention and their jobs', boundedBy: 'removed before their run' },
  retention_runs: { growsWith: 'runs of retention', boundedBy: '`PHASELINE_KEEP_RETENTION_RUNS_DAYS`' },
  retention_settings: byPeople('tenants'),
  scheduled_tasks: readModel('tasks of schedules'),
  secrets: byPeople('secrets'),
  sessions: { growsWith: 'sign-ins', boundedBy: 'removed within minutes after they expire' },
  sign_in_attempts: { growsWith: 'sign-ins', boundedBy: '10,000; removed within minutes after they expire' },
  slots: { growsWith: 'jobs that run or wait to run', boundedBy: 'removed when the phase ends' },
  snapshots: { growsWith: 'steps', boundedBy: '`PHASELINE_KEEP_SNAPSHOTS_DAYS` after the end of the job' },
  stage_assessments: readModel('assessments of work'),
  streams: log('phases'),
  subscription_members: { growsWith: 'processes', boundedBy: 'removed when their lease expires' },
  subscriptions: {
    growsWith: 'readers of the log',
    boundedBy: 'one row per reader and partition; `phaseline doctor` names those that no process reads',
  },
  table_cleanings: { growsWith: 'nothing', boundedBy: 'one row per table that is cleaned' },
  tenant_limits: byPeople('changes of limits, which are kept with their actor'),
  tenant_turns: {
    growsWith: 'tenants',
    boundedBy: 'one row per tenant and kind of phase; removed a day after its last phase',
  },
  tool_calls: readModel('calls of tools'),
  unmirrored_files: {
    growsWith: 'files that a mirror could not write',
    boundedBy: 'removed once written; `phaseline doctor` names those of lost machines',
  },
  vector_chunks: vectors('files that are indexed'),
  vector_embeddings: vectors('different texts per tenant'),
  vector_files: vectors('files that are indexed'),
};

/** Tables of the schema `bullmq`, which exist if the queues are in PostgreSQL. */
export const queueTables: Readonly<Record<string, TableGrowth>> = {
  dedup: unusedQueueFeature,
  dedup_next: unusedQueueFeature,
  event: { growsWith: 'messages', boundedBy: 'about 100 per queue, trimmed every 256 events' },
  job: { growsWith: 'messages', boundedBy: 'open messages: removed when they end' },
  job_dependency: unusedQueueFeature,
  job_log: unusedQueueFeature,
  meta: { growsWith: 'queues', boundedBy: 'some rows per queue' },
  metrics: unusedQueueFeature,
  migration: { growsWith: 'releases of BullMQ', boundedBy: 'one row per migration' },
  rate_limit: unusedQueueFeature,
  relay_inbox: unusedQueueFeature,
  relay_node: unusedQueueFeature,
  relay_retained: unusedQueueFeature,
  relay_subscription: unusedQueueFeature,
  scheduler: unusedQueueFeature,
};
