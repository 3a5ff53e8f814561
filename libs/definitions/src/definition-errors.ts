/** One thing that is wrong with one file. */
export interface Complaint {
  readonly file: string;
  /** From 1. Missing where the file as a whole is meant. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** What was expected and what was found. */
  readonly message: string;
}

/** `agents/creator/agent.yaml:12:7: todos.min: expected a whole number, found the text "five"` */
export function formatComplaint({ file, line, column, message }: Complaint): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return `${place}: ${message}`;
}

/** More would scroll the first one, which is mostly the cause, out of sight. */
const SHOWN = 20;

/** Definition files that cannot be used. All complaints of one load are gathered, so that one look mends them all. */
export class InvalidDefinitions extends Error {
  override readonly name = 'InvalidDefinitions';
  readonly code = 'invalid_definitions';
  constructor(
    readonly complaints: readonly Complaint[],
    options?: { cause: unknown },
  ) {
    const shown = complaints.slice(0, SHOWN).map((complaint) => `  ${formatComplaint(complaint)}`);
    if (complaints.length > SHOWN) shown.push(`  and ${complaints.length - SHOWN} more`);
    super(['Some definitions cannot be used. Correct these and start again:', ...shown].join('\n'), options);
  }
}

export type DefinitionKind = 'agent' | 'workflow' | 'model';

/** Somebody asked for a definition by a name that none has. */
export class UnknownDefinition extends Error {
  override readonly name = 'UnknownDefinition';
  /** `unknown_agent`, `unknown_workflow` or `unknown_model`. */
  readonly code: `unknown_${DefinitionKind}`;
  constructor(
    readonly kind: DefinitionKind,
    readonly requested: string,
    readonly known: readonly string[],
    readonly suggestions: readonly string[],
  ) {
    const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.map((name) => `"${name}"`).join(' or ')}?` : '';
    const list = known.length > 0 ? `Known are: ${known.join(', ')}.` : `None is defined.`;
    super(`There is no ${kind} ${JSON.stringify(requested.slice(0, 100))}.${hint} ${list}`);
    this.code = `unknown_${kind}`;
  }
}

/** The requested agent exists, but its definition has errors. */
export class UnusableAgent extends Error {
  override readonly name = 'UnusableAgent';
  /** As for an agent that is not there: for a caller it is the same. */
  readonly code = 'unknown_agent';
  constructor(
    readonly requested: string,
    /** Each with file and line. */
    readonly complaints: readonly string[],
  ) {
    super(
      `The agent ${JSON.stringify(requested)} cannot be used until its definition is corrected: ${complaints.slice(0, 3).join('; ')}`,
    );
  }
}
