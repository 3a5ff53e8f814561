import { readString, type UntypedData } from './event-data.js';

/** Names of the arguments that best describe a call, in order of preference. */
const DESCRIPTIVE_ARGUMENTS = [
  'path',
  'source',
  'document',
  'file',
  'query',
  'pattern',
  'quote',
  'todo_id',
  'todoId',
  'id',
  'summary',
  'url',
  'command',
];

/** Describes a tool call by its most descriptive argument. Empty if it has no text or number. */
export function summariseCall(args: UntypedData): string {
  for (const key of DESCRIPTIVE_ARGUMENTS) {
    const value = args[key];
    if (typeof value === 'number') return `#${value}`;
    if (typeof value === 'string' && value !== '') return value;
  }
  return (
    Object.keys(args)
      .map((key) => readString(args, key))
      .find((value) => value !== undefined && value !== '') ?? ''
  );
}
