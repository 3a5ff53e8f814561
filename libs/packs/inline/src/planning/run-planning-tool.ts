import { CodedError, isBlankText, type JsonObject, type JsonValue } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import { findMissingPrerequisites, type PlanningTool, toSnakeCase } from '@phaseline/planning';
import type { InlineToolContext, InlineToolOutcome } from '@phaseline/tools';
import { z } from 'zod';
import { CallMemo } from './call-memo.js';
import { PlanWork } from './plan-work.js';

/** What a planning tool answers. `data` is in the shape of the artifacts; its names are written in snake_case. */
interface PlanningAnswer {
  readonly confidence: number;
  readonly explanations: readonly string[];
  readonly data: object | null;
  readonly violations?: readonly string[];
}

type Run<Input> = (
  work: PlanWork,
  input: Input,
  context: InlineToolContext,
) => PlanningAnswer | Promise<PlanningAnswer>;

/** Explanations in one result, and their length. */
const MAX_EXPLANATIONS = 20;
const MAX_EXPLANATION_CHARACTERS = 500;

/**
 * Makes a planning tool from its work on a plan: checks what it needs, and writes the result `{ ok, confidence, explanations, data }`. What the
 * input makes impossible is a result with `ok: false`, with which the stage continues; a missing prerequisite is refused. A call that was made before
 * is answered from the memo of the plan, if that is the rule of the tool.
 */
export function makePlanningTool<Input>(name: PlanningTool, run: Run<Input>) {
  return async (context: InlineToolContext, input: Input): Promise<InlineToolOutcome> => {
    const work = await PlanWork.read(context);
    const missing = findMissingPrerequisites(name, work.listProducts());
    if (missing.length > 0)
      throw new ToolError(
        'prerequisite_missing',
        `Not executed: ${name} needs the ${missing.join(' and the ')} first.`,
      );
    const memo = await CallMemo.open(name, work, input, context);
    const known = memo?.recall();
    if (known) return { content: JSON.stringify(known.answer), result: known.result };
    const adaptations = work.session.adaptations.length;
    try {
      const made = await run(work, input, context);
      const { answer, result } = buildResult(made, work.session.adaptations.length - adaptations);
      memo?.remember(answer, result);
      return work.finish({ content: JSON.stringify(answer), result });
    } catch (error) {
      return renderFailure(explainInput(error));
    }
  };
}

/** Builds the answer for the model, and what checks and the trace read of it. */
function buildResult(
  { confidence, explanations, data, violations = [] }: PlanningAnswer,
  adaptations: number,
): { readonly answer: JsonObject; readonly result: JsonObject } {
  const common = { ok: true, confidence, explanations: shorten(explanations) };
  const answer = { ...common, data: toSnakeCase(JSON.parse(JSON.stringify(data)) as JsonValue) };
  return { answer, result: { ...common, violations: [...new Set(violations)], adaptations } };
}

/** Writes the result of a call whose input was not usable. */
function renderFailure(problem: string): { readonly content: string; readonly result: JsonObject } {
  const result = { ok: false, confidence: 0, explanations: shorten([problem]) };
  return { content: JSON.stringify({ ...result, data: null }), result };
}

/** What is wrong with the input; anything else is a defect and thrown on. */
function explainInput(error: unknown): string {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  if (error instanceof RangeError || error instanceof CodedError) return error.message;
  throw error;
}

function shorten(texts: readonly string[]): string[] {
  const visible = texts.filter((text) => !isBlankText(text));
  return visible.slice(0, MAX_EXPLANATIONS).map((text) => text.slice(0, MAX_EXPLANATION_CHARACTERS));
}
