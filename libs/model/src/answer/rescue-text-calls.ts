import type { ToolDefinition } from '@phaseline/domain';
import { asObject, asText } from '../wire/loose-json.js';
import { toolNameOf } from './call-name.js';
import type { PartialCall } from './fold-calls.js';

export interface Rescue {
  /** The content without the calls that were taken out of it. */
  readonly content: string;
  readonly calls: readonly PartialCall[];
}

/** The closing tag may be lost at the end, where servers take it for a stop word. */
const TAGGED = /<tool_call>((?:(?!<tool_call>)[\s\S])*?)(?:<\/tool_call>|$)/g;
/** The form of Qwen's coding models, with or without the tag around it. */
const FUNCTION = /<function=[^>\s]{1,200}>(?:(?!<function=)[\s\S])*?<\/function>/g;
const FUNCTION_HEAD = /^<function=([^>\s]+)>/;
const PARAMETER = /<parameter=([^>\s]{1,200})>\n?((?:(?!<parameter=)[\s\S])*?)\n?<\/parameter>/g;

/**
 * Takes calls out of a text that a server did not parse. Only whole calls of offered tools are taken; everything else
 * stays in the text as it is.
 */
export function rescueTextCalls(content: string, tools: readonly ToolDefinition[]): Rescue {
  const calls: PartialCall[] = [];
  const take = (whole: string, inner: string): string => {
    const call = readCall(inner.trim(), tools);
    if (!call) return whole;
    calls.push(call);
    return '';
  };
  const untagged = content.replace(TAGGED, take);
  const rest = untagged.replace(FUNCTION, (whole) => take(whole, whole));
  return calls.length === 0 ? { content, calls } : { content: rest.trim(), calls };
}

function readCall(inner: string, tools: readonly ToolDefinition[]): PartialCall | undefined {
  const head = FUNCTION_HEAD.exec(inner);
  // Without its end, parameters may be missing.
  if (head) return inner.endsWith('</function>') ? readXml(head[1]!, inner, tools) : undefined;
  let value;
  try {
    value = asObject(JSON.parse(inner));
  } catch {
    return undefined;
  }
  const name = asText(value?.name);
  const tool = offeredTool(name, tools);
  if (!value || !tool) return undefined;
  const given = value.arguments ?? value.parameters;
  return typeof given === 'string'
    ? { id: '', name: tool.name, text: given, value: undefined }
    : { id: '', name: tool.name, text: '', value: given };
}

/** Parameters come as bare texts here; the tool's schema says which of them are something else. */
function readXml(name: string, body: string, tools: readonly ToolDefinition[]): PartialCall | undefined {
  const tool = offeredTool(name, tools);
  if (!tool) return undefined;
  const schemas = asObject(tool.parameters.properties) ?? {};
  const entries = [...body.matchAll(PARAMETER)].map(([, key, text]) => [
    key!,
    readParameter(text!, asObject(schemas[key!])?.type),
  ]);
  return { id: '', name: tool.name, text: '', value: Object.fromEntries(entries) as unknown };
}

function readParameter(text: string, type: unknown): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function offeredTool(name: string, tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  const meant = toolNameOf(name, new Set(tools.map((tool) => tool.name)));
  return tools.find((tool) => tool.name === meant);
}
