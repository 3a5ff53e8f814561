/**
 * Allowed imports between projects; ARCHITECTURE.md shows the same table. A project imports only projects listed above it, no project
 * imports `apps/` or `labs/`, and a project that is not listed may import nothing.
 */
const libraries = {
  basics: [],
  'fault-points': [],
  testing: [],
  'local-stack': ['basics'],
  contracts: ['basics'],
  client: ['basics', 'contracts'],
  rehearsal: ['basics'],
  telemetry: ['contracts'],
  queue: ['basics', 'contracts', 'fault-points', 'telemetry'],
  model: ['basics', 'contracts'],
  sandbox: ['basics', 'contracts'],
  'event-store': ['basics', 'contracts'],
  'memory-log': ['basics', 'contracts', 'event-store'],
  cluster: ['basics', 'contracts', 'event-store'],
  checks: ['basics', 'contracts'],
  domain: ['basics', 'contracts', 'checks'],
  planning: ['basics', 'contracts'],
  branches: ['basics', 'contracts'],
  audit: ['basics', 'contracts', 'domain', 'event-store'],
  hooks: ['basics', 'contracts', 'domain', 'sandbox'],
  definitions: ['basics', 'contracts', 'domain', 'checks', 'hooks', 'planning'],
  context: ['basics', 'contracts', 'domain', 'checks'],
  workspace: ['basics', 'contracts', 'domain', 'checks', 'event-store'],
  guards: ['basics', 'contracts', 'domain', 'checks', 'sandbox'],
  projections: ['basics', 'contracts', 'domain', 'event-store'],
  repository: ['basics', 'contracts', 'domain', 'event-store'],
  identity: ['basics', 'contracts', 'domain', 'event-store'],
  service: ['basics', 'contracts', 'domain', 'event-store', 'cluster', 'queue', 'identity', 'telemetry'],
  tools: ['basics', 'contracts', 'domain', 'workspace'],
  verification: ['basics', 'contracts', 'domain', 'checks', 'workspace', 'sandbox'],
  'pack-specs': ['basics', 'contracts', 'domain', 'planning'],
  learning: ['basics', 'contracts', 'domain', 'event-store', 'context', 'checks', 'guards'],
  documents: ['basics', 'contracts', 'workspace'],
  formats: ['basics', 'contracts', 'documents'],
  graph: ['basics', 'contracts', 'tools'],
  mcp: ['basics', 'contracts', 'tools', 'workspace', 'sandbox', 'pack-specs'],
  'inline-packs': [
    'basics',
    'contracts',
    'domain',
    'checks',
    'context',
    'workspace',
    'tools',
    'sandbox',
    'documents',
    'pack-specs',
    'planning',
  ],
  'remote-packs': [
    ...['basics', 'contracts', 'domain', 'workspace', 'tools', 'sandbox', 'documents', 'pack-specs'],
    ...['formats', 'graph', 'mcp', 'verification', 'hooks', 'planning'],
  ],
  'time-travel': ['basics', 'contracts', 'checks', 'domain', 'event-store', 'repository', 'context', 'workspace'],
  orchestration: ['basics', 'contracts', 'domain', 'event-store', 'repository', 'workspace', 'fault-points'],
  execution: [
    ...['basics', 'contracts', 'domain', 'event-store', 'repository', 'workspace', 'context', 'model', 'tools'],
    ...['guards', 'hooks', 'fault-points', 'telemetry'],
  ],
  'what-if': [
    ...['basics', 'contracts', 'domain', 'event-store', 'memory-log', 'repository', 'workspace', 'context', 'model'],
    ...['tools', 'guards', 'hooks', 'orchestration', 'execution'],
  ],
  cases: [
    ...[
      'basics',
      'contracts',
      'checks',
      'domain',
      'definitions',
      'event-store',
      'memory-log',
      'repository',
      'workspace',
    ],
    ...['model', 'tools', 'pack-specs', 'inline-packs', 'orchestration', 'execution'],
  ],
};
const workers = [
  ...libraries.execution.filter((name) => !['fault-points', 'guards', 'hooks', 'telemetry'].includes(name)),
  ...['execution', 'identity', 'service', 'cluster', 'queue', 'definitions', 'inline-packs'],
];
const all = Object.keys(libraries);
const allBut = (...names) => all.filter((name) => !names.includes(name));

const labs = ['simulator', 'chaos', 'soak', 'bench', 'stuck', 'documents-lab', 'mutations', 'lazy', 'learning-lab'];

export const arrows = {
  ...libraries,
  workers,
  harness: all,
  'strategic-worker': ['workers'],
  'tactical-worker': ['workers'],
  'tool-runner': [
    ...['contracts', 'domain', 'event-store', 'repository', 'workspace', 'tools', 'service', 'remote-packs'],
    ...[
      'workers',
      'basics',
      'sandbox',
      'queue',
      'cluster',
      'identity',
      'fault-points',
      'definitions',
      'verification',
      'hooks',
      'context',
      'learning',
    ],
  ],
  'what-if-program': [
    ...['contracts', 'domain', 'context', 'event-store', 'projections', 'sandbox', 'service', 'tools'],
    ...['inline-packs', 'remote-packs', 'what-if'],
  ],
  'case-program': ['contracts', 'domain', 'event-store', 'definitions', 'model', 'context', 'pack-specs', 'cases'],
  orchestrator: allBut(
    'execution',
    'what-if',
    'memory-log',
    'cases',
    'inline-packs',
    'remote-packs',
    'documents',
    'formats',
    'graph',
    'testing',
  ),
  dashboard: ['basics', 'client', 'contracts'],
  cli: allBut(
    'execution',
    'what-if',
    'inline-packs',
    'remote-packs',
    'formats',
    'mcp',
    'testing',
    'memory-log',
    'cases',
  ),
  ...Object.fromEntries(labs.map((lab) => [lab, [...all, 'workers', 'harness']])),
};

/** Projects that may import any library with few exceptions, so also libraries that they do not import today. */
export const importersOfAnyLibrary = ['harness', 'orchestrator', 'cli', ...labs];
