import { FILE_REFERENCES_BY_EVENT } from '@phaseline/audit';
import { jobEventDefinitions, phaseEventDefinitions } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { z } from 'zod';

/** Hashes in events that do not refer to stored content, with their meaning. */
const NOT_FILE_HASHES: Readonly<Record<string, string>> = {
  'JobSubmitted.requestHash': 'fingerprint of the request, to detect a repetition',
  'JobSubmitted.agentHash': 'fingerprint of the definition, which is part of the event',
  'JobSubmitted.workflowHash': 'fingerprint of the workflow, which is part of the event',
  'JobForked.requestHash': 'fingerprint of the request, to detect a repetition',
  'JobForked.parent.hash': 'hash of an event',
  'JobForked.definition.agentHash': 'fingerprint of the definition, which is part of the event',
  'JobForked.definition.workflowHash': 'fingerprint of the workflow, which is part of the event',
  'JobDefinitionChanged.agentHash': 'fingerprint of the definition, which is part of the event',
  'JobDefinitionChanged.workflowHash': 'fingerprint of the workflow, which is part of the event',
  'PhaseForked.parent.hash': 'hash of an event',
  'JobSubmitted.agents.*.hash': 'fingerprint of the definition, which is part of the event',
  'JobSubmitted.agents.*.definition.guards.*.version':
    'hash of what decides what a guard does, which is part of the start of the phase',
  'JobForked.definition.agents.*.hash': 'fingerprint of the definition, which is part of the event',
  'JobForked.definition.agents.*.definition.guards.*.version':
    'hash of what decides what a guard does, which is part of the start of the phase',
  'JobDefinitionChanged.agents.*.hash': 'fingerprint of the definition, which is part of the event',
  'JobDefinitionChanged.agents.*.definition.guards.*.version':
    'hash of what decides what a guard does, which is part of the start of the phase',
  'PhaseStarted.plan.itemChanges.*.before': 'content that an earlier phase replaced, which another event wrote',
  'PhaseStarted.workspace.attempted.phase.*.before':
    'content that an earlier attempt replaced, which another event wrote',
  'PhaseStarted.workspace.attempted.todo.*.before':
    'content that an earlier attempt replaced, which another event wrote',
  'PlanRunOpened.contentHash': 'hash of the schedule, which is a part of the document plan.json',
  'PlanReplaced.from': 'hash of the schedule, which is a part of the file of the plan',
  'PlanReplaced.to': 'hash of the schedule, which is a part of the file of the plan',
  'ChildJobRequested.inputs.*.hash': 'content of a file of the workspace, which another event wrote',
  'ChildJobEnded.files.*.hash': 'content of a file of the child job, which an event of that job wrote',
  'JobSubmitted.agent.guards.*.version':
    'hash of what decides what a guard does, which is part of the start of the phase',
  'JobForked.definition.agent.guards.*.version':
    'hash of what decides what a guard does, which is part of the start of the phase',
  'JobDefinitionChanged.agent.guards.*.version':
    'hash of what decides what a guard does, which is part of the start of the phase',
  'PhaseStarted.terms.guards.*.version':
    'hash of what decides what a guard does, which is part of the start of the phase',
  'PhaseForked.changes.terms.guards.*.version':
    'hash of what decides what a guard does, which is part of the start of the phase',
  'GuardDecided.guard.version': 'hash of what decides what a guard does, which is part of the start of the phase',
  'GuardsAwaited.runs.*.guard.version':
    'hash of what decides what a guard does, which is part of the start of the phase',
  'GuardsAwaited.request.by.version': 'hash of what decides what a guard does, which is part of the start of the phase',
  'GuardsAwaited.amendment.by.*.version':
    'hash of what decides what a guard does, which is part of the start of the phase',
  'GuardsAwaited.permission.by.version':
    'hash of what decides what a guard does, which is part of the start of the phase',
  'RepositoryImported.treeHash': 'name of the tree in the repository',
  'WorkspaceEdited.previousHash': 'content that was replaced, which another event wrote',
  'JobCompleted.evidence.*.files.*.hash': 'hash that the check read, of a file that another event wrote',
  'PhaseCompleted.evidence.*.files.*.hash': 'hash that the check read, of a file that another event wrote',
  'TodoCompleted.evidence.*.files.*.hash': 'hash that the check read, of a file that another event wrote',
  'FilesRemoved.hashes.*': 'hash of a file that the event says is gone',
  'ApprovalGranted.argumentsHash': 'fingerprint of the arguments, which are part of another event',
  'ToolCallAmended.argumentsHash': 'fingerprint of the arguments, which are part of the event',
  'ToolCallAmended.previousArgumentsHash': 'fingerprint of the arguments, which are part of another event',
  'QuestionAsked.questionHash': 'fingerprint of the question, which is part of the event',
  'QuestionAnswered.questionHash': 'fingerprint of the question, which is part of another event',
  'PlanArtifactRecorded.hash': 'content of the file at path, which FileWritten of the same commit names',
  'PlanArtifactRecorded.madeFrom': 'content of a file of the workspace, which another event wrote',
  'PlanAdapted.hash': 'fingerprint of the change, which is part of the event',
  'StageAssessed.hash': 'content of a file of the workspace, which another event wrote',
  'JobMovedToColdStorage.sha256': 'hash of an archive, which is outside of the database and has a check of its own',
  'JobMovedToColdStorage.digest': 'fingerprint of the events in the archive',
  'ModelCallStarted.requestHash': 'fingerprint of the prompt, which can be rebuilt from the state',
};

interface Definition {
  readonly type: string;
  readonly data: z.ZodType;
}

interface Shape {
  readonly pattern?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
  readonly prefixItems?: readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
}

/** Finds the paths of hashes in the data of an event, by their pattern or their name. `*` stands for any member or element. */
function findHashPaths({ type, data }: Definition): string[] {
  const root = z.toJSONSchema(data, { unrepresentable: 'any' }) as Shape;
  const found = new Set<string>();
  const walk = (shape: Shape | boolean | undefined, path: readonly string[], seen: readonly string[]): void => {
    if (typeof shape !== 'object') return;
    if (shape.$ref !== undefined && !seen.includes(shape.$ref))
      walk(shape.$ref === '#' ? root : root.$defs?.[shape.$ref.replace('#/$defs/', '')], path, [...seen, shape.$ref]);
    const isText = shape.type === 'string' || (Array.isArray(shape.type) && shape.type.includes('string'));
    const isHash = /\{64\}/.test(shape.pattern ?? '') || /hash|digest|checksum|sha\d|blob/i.test(path.at(-1) ?? '');
    if (isText && isHash) found.add([type, ...path].join('.'));
    for (const [name, member] of Object.entries(shape.properties ?? {})) walk(member, [...path, name], seen);
    walk(shape.additionalProperties, [...path, '*'], seen);
    walk(shape.items, [...path, '*'], seen);
    for (const part of shape.prefixItems ?? []) walk(part, [...path, '*'], seen);
    for (const part of [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])]) walk(part, path, seen);
  };
  walk(root, [], []);
  return [...found];
}

/** Finds hashes that the audit neither follows nor lists as exceptions. */
function findUnlisted(definitions: readonly Definition[]): string[] {
  return definitions.flatMap((definition) => {
    const { file, tree } = FILE_REFERENCES_BY_EVENT[definition.type] ?? {};
    const followed = [
      ...(file === undefined ? [] : [[definition.type, ...(file === '' ? [] : [file]), 'hash'].join('.')]),
      ...(tree === undefined ? [] : [`${definition.type}.${tree}.*.hash`]),
    ];
    return findHashPaths(definition).filter((place) => !followed.includes(place) && !(place in NOT_FILE_HASHES));
  });
}

const all = [...jobEventDefinitions, ...phaseEventDefinitions];

it('every hash in an event shape refers to a file that the audit checks, or is listed as an exception', () => {
  expect(findUnlisted(all)).toEqual([]);
});

it('every listed hash exists in an event shape', () => {
  const places = all.flatMap(findHashPaths);
  for (const [type, { file, tree }] of Object.entries(FILE_REFERENCES_BY_EVENT)) {
    if (file !== undefined) expect(places).toContain([type, ...(file === '' ? [] : [file]), 'hash'].join('.'));
    if (tree !== undefined) expect(places).toContain(`${type}.${tree}.*.hash`);
  }
  expect(Object.keys(NOT_FILE_HASHES).filter((place) => !places.includes(place))).toEqual([]);
});

it('an unlisted hash in a new event is found at any depth', () => {
  const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
  const type = 'ReportFiled';
  expect(findUnlisted([{ type, data: z.object({ report: sha256 }) }])).toEqual(['ReportFiled.report']);
  expect(findUnlisted([{ type, data: z.object({ reports: z.array(z.object({ contentHash: z.string() })) }) }])).toEqual(
    ['ReportFiled.reports.*.contentHash'],
  );
  expect(
    findUnlisted([{ type, data: z.object({ of: z.union([z.record(z.string(), sha256), z.null()]).optional() }) }]),
  ).toEqual(['ReportFiled.of.*']);
});
