import { ToolError, type ToolDeclaration } from '@phaseline/contracts';
import type { JsonObject } from '@phaseline/basics';
import type { ToolOutcome } from './tool.js';

/** Maximum length of a structured result as JSON, in characters. A longer one belongs in a file. */
const MAX_RESULT_CHARACTERS = 64_000;

type Declared = Pick<ToolDeclaration, 'name' | 'result'>;

/**
 * Waits for the outcome of a tool and parses its structured result with the declared schema, because checks rely on the
 * shape. Throws ToolError `invalid_result` for a result that does not match, which is a bug in the tool. If the result of
 * an error does not match, the error keeps its code and message without the result.
 */
export async function parseOutcome<Outcome extends ToolOutcome>(
  tool: Declared,
  outcome: Promise<Outcome>,
): Promise<Outcome> {
  const ended = await outcome.catch((error: unknown) => {
    if (!(error instanceof ToolError) || error.result === undefined) throw error;
    const { code, message, retryable, outcomeUnknown, cause } = error;
    throw new ToolError(code, message, { retryable, outcomeUnknown, cause, result: fitResult(tool, error.result) });
  });
  if (ended.result === undefined) return ended;
  const result = fitResult(tool, ended.result);
  if (result) return { ...ended, result };
  throw new ToolError(
    'invalid_result',
    `${tool.name} ran, but its structured result does not have the declared shape. Do not repeat the call.`,
    { outcomeUnknown: true },
  );
}

function fitResult({ result: schema }: Declared, result: JsonObject): JsonObject | undefined {
  const parsed = schema?.safeParse(result);
  return parsed?.success && JSON.stringify(parsed.data).length <= MAX_RESULT_CHARACTERS ? parsed.data : undefined;
}
