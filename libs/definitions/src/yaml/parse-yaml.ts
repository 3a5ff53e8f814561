import { constructFromEvents, EVENT_ID, parseEvents, YAMLException, type Event } from 'js-yaml';
import type { z } from 'zod';
import { hashContent } from '../definition/content-hash.js';
import { InvalidDefinitions, type DefinitionProblem } from '../definition-errors.js';
import { describeIssue } from './describe-issue.js';
import { fillPlaceholders, type Variables } from './fill-placeholders.js';
import { toLineAndColumn, mapSource, findPlace, type Place } from './source-map.js';

export interface ParsedYaml<Value> {
  readonly value: Value;
  /** Hash of the parsed value including defaults, which is what a job runs with. */
  readonly hash: string;
  /** Reports a problem with the value at a path, for checks beyond the schema. */
  problemAt(path: readonly PropertyKey[], message: string): DefinitionProblem;
}

export interface YamlOptions {
  /** File name used in error messages. */
  readonly file: string;
  /** Values for placeholders. If absent, `${…}` is plain text. */
  readonly variables?: Variables | undefined;
}

/** Maximum nesting depth: more than any definition has, and far from exhausting the stack. */
const MAX_DEPTH = 40;
/** Maximum number of aliases. The number of values that they expand to is limited separately. */
const MAX_ALIASES = 100;

/** A YAML 1.2 document that is not validated yet. JSON is also YAML. */
export interface YamlDocument {
  readonly file: string;
  readonly value: unknown;
  readonly root: Place | undefined;
  /** Reports a problem with the value at a path, or with its key. */
  problemAt(path: readonly PropertyKey[], message: string, atKey?: boolean): DefinitionProblem;
}

/** Parses a YAML document. Throws InvalidDefinitions if the text is not valid YAML. */
export function readYaml(source: string, file: string): YamlDocument {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const { value, root } = readDocument(text, file);
  return {
    file,
    value,
    root,
    problemAt: (path, message, atKey = false) => {
      const place = findPlace(root, path);
      return { file, ...toLineAndColumn(text, (atKey ? place?.keyOffset : place?.offset) ?? 0), message };
    },
  };
}

/** Validates a value with a schema. Throws InvalidDefinitions with all problems. */
export function checkValue<Schema extends z.ZodType>(
  value: unknown,
  schema: Schema,
  complain: YamlDocument['problemAt'],
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const findings = parsed.error.issues.flatMap((issue) => describeIssue(issue, value, schema));
  throw new InvalidDefinitions(findings.map(({ path, message, atKey }) => complain(path, message, atKey)));
}

/** Parses a YAML 1.2 document and validates it with a schema. Throws InvalidDefinitions with the line of each problem. */
export function parseYaml<Schema extends z.ZodType>(
  source: string,
  schema: Schema,
  options: YamlOptions,
): ParsedYaml<z.output<Schema>> {
  const { value: raw, root, problemAt } = readYaml(source, options.file);
  const filled = options.variables ? fillPlaceholders(raw, root, options.variables) : { value: raw, missing: [] };
  if (filled.missing.length > 0) {
    throw new InvalidDefinitions(
      filled.missing.map(({ path, variable }) =>
        problemAt(path, `expected the variable ${variable} to be set, or a default: \${${variable}:-…}`),
      ),
    );
  }
  const value = checkValue(filled.value, schema, problemAt);
  return { value, hash: hashContent(value), problemAt };
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
    // Checked before anything is built, so that alias bombs are rejected early.
    const root = mapSource(text, events);
    const [value] = constructFromEvents([...events] as Event[], { source: text, maxAliases: MAX_ALIASES });
    return { value, root };
  } catch (error) {
    if (error instanceof InvalidDefinitions) throw error;
    const reason = error instanceof YAMLException ? error.reason : String(error);
    const offset = error instanceof YAMLException ? error.mark?.position : undefined;
    throw new InvalidDefinitions(
      [{ file, ...toLineAndColumn(text, offset ?? 0), message: `not valid YAML: ${reason}${adviceFor(reason)}` }],
      { cause: error },
    );
  }
}

/** Advice per parser error: the parser says what it found, this says what it expected. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /bad indentation of a mapping entry/,
    "expected one 'key: value' per line, indented like its neighbours; put a text that contains ': ' in quotes",
  ],
  [/bad indentation of a sequence entry/, "expected every '- ' of the list in the same column"],
  [/deficient indentation|unexpected end of the stream/, 'expected a closing bracket, brace or quote'],
  [/tab characters/, 'expected spaces'],
  [/duplicated mapping key/, 'expected each key once'],
  [/unidentified alias/, 'expected an earlier anchor (&name) of that name; put a text that begins with * in quotes'],
  [/unknown .* tag/, 'expected a plain value; put a text that begins with ! in quotes'],
  [/aliases/i, `expected at most ${MAX_ALIASES} aliases`],
  [/maxDepth/, `expected at most ${MAX_DEPTH} levels`],
];

function adviceFor(reason: string): string {
  const found = ADVICE.find(([pattern]) => pattern.test(reason));
  return found ? `; ${found[1]}` : '';
}
