import type { JsonObject, JsonValue } from '@phaseline/basics';
import { readMember } from '@phaseline/checks';
import { z } from 'zod';

/** What the placeholders of a template stand for. */
export interface TemplateValues {
  readonly agent: string;
  readonly state: string;
  readonly phaseKind: string;
  readonly tool?: string | undefined;
  readonly args: JsonObject;
}

const PLACEHOLDER = /\{([A-Za-z][^{}]*)\}/g;
const NAME = /^(agent|state|phaseKind|tool|args\.[A-Za-z_][\w-]*)(?:\|(\w+))?$/;

/** Functions that a placeholder may apply to a path: `{args.path|basename}`. */
const filters: Readonly<Record<string, (path: string) => string>> = {
  basename: (path) => path.slice(path.lastIndexOf('/') + 1),
  dirname: (path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))),
};

/** A text with placeholders such as `{args.path}`, `{args.path|basename}` or `{agent}`. */
export const templateSchema = z
  .string()
  .min(1)
  .max(2_000)
  .superRefine((template, context) => {
    const problem = findTemplateProblem(template);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

/** Returns why a template cannot be used; `undefined` if it can. */
function findTemplateProblem(template: string): string | undefined {
  for (const [whole, name] of template.matchAll(PLACEHOLDER)) {
    const [, , filter] = NAME.exec(name!) ?? [];
    if (!NAME.test(name!) || (filter !== undefined && !Object.hasOwn(filters, filter)))
      return `there is no placeholder ${whole}; known are {agent}, {state}, {phaseKind}, {tool} and {args.NAME}, with |basename or |dirname`;
  }
  return undefined;
}

/**
 * Fills in a template. A template that is one placeholder without a filter returns the value itself, so that numbers and lists stay what they
 * are. Returns `undefined` if an argument is absent.
 */
export function fillTemplate(template: string, values: TemplateValues): JsonValue | undefined {
  const [only] = template.matchAll(PLACEHOLDER);
  if (only && only[0] === template && !template.includes('|')) return readValue(only[1]!, values);
  let isComplete = true;
  const text = template.replaceAll(PLACEHOLDER, (_whole, name: string) => {
    const value = readValue(name, values);
    if (value === undefined) isComplete = false;
    return typeof value === 'string' ? value : JSON.stringify(value ?? null);
  });
  return isComplete ? text : undefined;
}

/** Fills in a text for people and models; an absent argument becomes empty. */
export function fillText(template: string, values: TemplateValues): string {
  return template.replaceAll(PLACEHOLDER, (_whole, name: string) => {
    const value = readValue(name, values) ?? '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function readValue(placeholder: string, { args, ...values }: TemplateValues): JsonValue | undefined {
  const [, name = '', filter] = NAME.exec(placeholder) ?? [];
  const value = name.startsWith('args.') ? readMember(args, name.slice('args.'.length)) : values[name as 'agent'];
  if (filter === undefined || value === undefined) return value;
  return typeof value === 'string' ? filters[filter]!(value) : undefined;
}
