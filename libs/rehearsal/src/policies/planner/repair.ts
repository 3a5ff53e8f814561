import type { JsonValue } from '@phaseline/basics';
import type { PlanViolation } from './session.js';

type Operation = Extract<PlanViolation['remedy'], { kind: 'fix' }>['operations'][number];

/** Returns a copy of an artifact as JSON with the operations of a suggested fix. An operation whose path does not exist is left out. */
export function applyOperations(artifact: object, operations: readonly Operation[]): JsonValue {
  const copy = JSON.parse(JSON.stringify(artifact)) as JsonValue;
  for (const { op, path, value: inserted } of operations) {
    const keys = path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop();
    const container = keys.reduce<JsonValue | undefined>(readMember, copy);
    if (last === undefined || typeof container !== 'object' || container === null) continue;
    if (Array.isArray(container)) changeList(container as JsonValue[], op, last, inserted);
    else changeObject(container as Record<string, JsonValue>, op, last, inserted);
  }
  return copy;
}

function readMember(container: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof container !== 'object' || container === null) return undefined;
  return Array.isArray(container)
    ? (container as JsonValue[])[Number(key)]
    : (container as Record<string, JsonValue>)[key];
}

function changeList(list: JsonValue[], op: Operation['op'], key: string, value: JsonValue | undefined): void {
  const index = key === '-' ? list.length : Number(key);
  if (op === 'remove') list.splice(index, 1);
  else if (value !== undefined) list.splice(index, op === 'add' ? 0 : 1, value);
}

function changeObject(
  object: Record<string, JsonValue>,
  op: Operation['op'],
  key: string,
  value: JsonValue | undefined,
): void {
  if (op === 'remove') delete object[key];
  else if (value !== undefined) object[key] = value;
}

/** Fields of nodes that instructions name. */
const fields = [
  'estimateMinutes',
  'endCriterion',
  'recurrence',
  'measure',
  'parent',
  'title',
  'level',
  'time',
] as const;
type NodeField = (typeof fields)[number];

/** A field of a node that is to be changed. */
export interface NamedField {
  readonly node: string;
  readonly field: NodeField;
}

/** Reads the fields that instructions name, as in "Set estimateMinutes of t3 to …". */
function readNamedFields(instructions: readonly string[]): readonly NamedField[] {
  const pattern = new RegExp(
    `\\b(${fields.join('|')})(?:\\.targets)?(?: and time)? of ([A-Za-z0-9][A-Za-z0-9_.-]*)`,
    'g',
  );
  return instructions.flatMap((text) =>
    [...text.matchAll(pattern)].map(([, field, node]) => ({
      field: field as NodeField,
      node: node!.replace(/\.$/, ''),
    })),
  );
}

/** What a repair changes. */
export interface RepairOrder {
  readonly fixes: readonly (readonly Operation[])[];
  readonly fields: readonly NamedField[];
  /** Whether something is named that is no field of a node, so that a new draft is made. */
  readonly isWhole: boolean;
}

/** Reads what violations and instructions of an artifact name. `undefined` if they name nothing. */
export function readRepairOrder(
  artifact: 'outline' | 'roadmap',
  {
    violations,
    instructions,
  }: { readonly violations: readonly PlanViolation[]; readonly instructions: readonly string[] },
): RepairOrder | undefined {
  const own = violations.filter((violation) => violation.artifact === artifact);
  if (own.length === 0 && instructions.length === 0) return undefined;
  const fixes = own.flatMap(({ remedy }) => (remedy.kind === 'fix' ? [remedy.operations] : []));
  const open = own.filter(({ remedy }) => remedy.kind === 'instruction');
  const named = open.flatMap(({ node, field }): NamedField[] => {
    const name = fields.find((one) => field === one || field.startsWith(`${one}.`));
    return node === null || name === undefined ? [] : [{ node, field: name }];
  });
  const instructed = readNamedFields(instructions);
  const unique = new Map([...named, ...instructed].map((one) => [`${one.node} ${one.field}`, one]));
  return {
    fixes,
    fields: [...unique.values()],
    isWhole: named.length < open.length || (instructions.length > 0 && instructed.length === 0),
  };
}
