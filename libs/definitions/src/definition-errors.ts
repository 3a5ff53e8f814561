/** One problem in a definition file. */
export interface DefinitionProblem {
  readonly file: string;
  /** Line number from 1; absent if the problem concerns the whole file. */
  readonly line?: number;
  /** Column number from 1. */
  readonly column?: number;
  /** What was expected and what was found. */
  readonly message: string;
}

/** Formats a problem: `agents/creator/agent.yaml:12:7: todos.min: expected a whole number, found the text "five"` */
export function formatProblem({ file, line, column, message }: DefinitionProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return `${place}: ${message}`;
}

/** Maximum number of problems shown, so that the first one, which is usually the cause, remains visible. */
const MAX_SHOWN_PROBLEMS = 20;

/** Thrown if definition files cannot be used. It contains all problems of one load, so that they can be fixed together. */
export class InvalidDefinitions extends Error {
  override readonly name = 'InvalidDefinitions';
  readonly code = 'definitions_invalid';
  constructor(
    readonly problems: readonly DefinitionProblem[],
    options?: { cause: unknown },
  ) {
    const shown = problems.slice(0, MAX_SHOWN_PROBLEMS).map((problem) => `  ${formatProblem(problem)}`);
    if (problems.length > MAX_SHOWN_PROBLEMS) shown.push(`  and ${problems.length - MAX_SHOWN_PROBLEMS} more`);
    super(['Some definitions cannot be used. Fix these problems and start again:', ...shown].join('\n'), options);
  }
}

export type DefinitionKind = 'agent' | 'workflow' | 'model' | 'verifier';

/** Thrown if a definition is requested by an unknown name. */
export class UnknownDefinition extends Error {
  override readonly name = 'UnknownDefinition';
  /** `unknown_agent`, `unknown_workflow`, `unknown_model` or `unknown_verifier`. */
  readonly code: `unknown_${DefinitionKind}`;
  constructor(
    readonly kind: DefinitionKind,
    readonly requested: string,
    readonly known: readonly string[],
    readonly suggestions: readonly string[],
  ) {
    const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.map((name) => `"${name}"`).join(' or ')}?` : '';
    const list = known.length > 0 ? `Known are: ${known.join(', ')}.` : `None are defined.`;
    super(`There is no ${kind} ${JSON.stringify(requested.slice(0, 100))}.${hint} ${list}`);
    this.code = `unknown_${kind}`;
  }
}

/** The requested agent exists, but its definition has errors. */
export class UnusableAgent extends Error {
  override readonly name = 'UnusableAgent';
  /** The same code as for an agent that does not exist, because callers treat both alike. */
  readonly code = 'unknown_agent';
  constructor(
    readonly requested: string,
    /** Formatted problems, each with file and line. */
    readonly problems: readonly string[],
  ) {
    super(
      `The agent ${JSON.stringify(requested)} cannot be used until its definition is corrected: ${problems.slice(0, 3).join('; ')}`,
    );
  }
}
