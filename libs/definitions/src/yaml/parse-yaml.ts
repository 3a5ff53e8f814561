import { constructFromEvents, EVENT_ID, parseEvents, YAMLException, type Event } from 'js-yaml';
import type { z } from 'zod';
import { contentHash } from '../definition/content-hash.js';
import { InvalidDefinitions, type Complaint } from '../definition-errors.js';
import { describeIssue } from './describe-issue.js';
import { fillPlaceholders, type Variables } from './fill-placeholders.js';
import { lineAndColumn, mapSource, placeOf, type Place } from './source-map.js';

export interface ParsedYaml<Value> {
  readonly value: Value;
  /** Of the value as the schema gave it back, defaults included: what a job really runs by. */
  readonly hash: string;
  /** A complaint about the value at a path, for checks that no schema can make. */
  complain(path: readonly PropertyKey[], message: string): Complaint;
}

export interface YamlOptions {
  /** What the complaints call the text. */
  readonly file: string;
  /** Without it, `${…}` is text like any other. */
  readonly variables?: Variables | undefined;
}

/** Deeper than any definition, and far from what would exhaust the stack. */
const MAX_DEPTH = 40;
/** Each stands for its whole target; what all of them together may stand for is bounded too. */
const MAX_ALIASES = 100;

/** One YAML 1.2 document as it is written, not checked yet. JSON is YAML too. */
export interface YamlDocument {
  readonly file: string;
  readonly value: unknown;
  readonly root: Place | undefined;
  /** A complaint about the value at a path, or about the key that leads to it. */
  complain(path: readonly PropertyKey[], message: string, atKey?: boolean): Complaint;
}

/** Throws InvalidDefinitions where the text is no YAML. */
export function readYaml(source: string, file: string): YamlDocument {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const { value, root } = readDocument(text, file);
  return {
    file,
    value,
    root,
    complain: (path, message, atKey = false) => {
      const place = placeOf(root, path);
      return { file, ...lineAndColumn(text, (atKey ? place?.keyOffset : place?.offset) ?? 0), message };
    },
  };
}

/** A value checked against a schema. Throws InvalidDefinitions with one complaint for each thing that is wrong. */
export function checkValue<Schema extends z.ZodType>(
  value: unknown,
  schema: Schema,
  complain: YamlDocument['complain'],
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const findings = parsed.error.issues.flatMap((issue) => describeIssue(issue, value, schema));
  throw new InvalidDefinitions(findings.map(({ path, message, atKey }) => complain(path, message, atKey)));
}

/** One YAML 1.2 document, checked against a schema. Throws InvalidDefinitions with the line of each thing that is wrong. */
export function parseYaml<Schema extends z.ZodType>(
  source: string,
  schema: Schema,
  options: YamlOptions,
): ParsedYaml<z.output<Schema>> {
  const { value: raw, root, complain } = readYaml(source, options.file);
  const filled = options.variables ? fillPlaceholders(raw, root, options.variables) : { value: raw, missing: [] };
  if (filled.missing.length > 0) {
    throw new InvalidDefinitions(
      filled.missing.map(({ path, variable }) =>
        complain(path, `expected the variable ${variable} to be set, or a default: \${${variable}:-…}`),
      ),
    );
  }
  const value = checkValue(filled.value, schema, complain);
  return { value, hash: contentHash(value), complain };
}

function readDocument(text: string, file: string): { readonly value: unknown; readonly root: Place | undefined } {
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH });
    const documents = events.filter(({ type }) => type === EVENT_ID.DOCUMENT).length;
    if (documents !== 1)
      throw new InvalidDefinitions([
        {
          file,
          line: 1,
          column: 1,
          message:
            documents === 0
              ? 'expected a mapping, found an empty file'
              : `expected one document, found ${documents} (separated by '---')`,
        },
      ]);
    // Before anything is built: what aliases multiply is refused unbuilt.
    const root = mapSource(text, events);
    const [value] = constructFromEvents([...events] as Event[], { source: text, maxAliases: MAX_ALIASES });
    return { value, root };
  } catch (error) {
    if (error instanceof InvalidDefinitions) throw error;
    const reason = error instanceof YAMLException ? error.reason : String(error);
    const offset = error instanceof YAMLException ? error.mark?.position : undefined;
    throw new InvalidDefinitions(
      [{ file, ...lineAndColumn(text, offset ?? 0), message: `not valid YAML: ${reason}${advice(reason)}` }],
      { cause: error },
    );
  }
}

/** The parser says what it stumbled over; this says what it would have wanted. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /bad indentation of a mapping entry/,
    "expected one 'key: value' a line, indented as its neighbours; put a text that contains ': ' in quotes",
  ],
  [/bad indentation of a sequence entry/, "expected every '- ' of the list in the same column"],
  [
    /deficient indentation|unexpected end of the stream/,
    'expected the rest of what was opened before: a bracket, a brace or a quote',
  ],
  [/tab characters/, 'expected spaces'],
  [/duplicated mapping key/, 'expected each key once'],
  [/unidentified alias/, 'expected an anchor (&name) of that name before it; put a text that begins with * in quotes'],
  [/unknown .* tag/, 'expected a plain value; put a text that begins with ! in quotes'],
  [/aliases/i, `expected at most ${MAX_ALIASES} aliases`],
  [/maxDepth/, `expected at most ${MAX_DEPTH} levels`],
];

function advice(reason: string): string {
  const found = ADVICE.find(([pattern]) => pattern.test(reason));
  return found ? `; ${found[1]}` : '';
}
