import type { ToolDefinition } from '@phaseline/contracts';
import { asObject, asText } from '../wire/loose-json.js';
import { resolveToolName } from './resolve-tool-name.js';
import type { PartialCall } from './fold-calls.js';

export interface Rescue {
  /** The content without the extracted calls. */
  readonly content: string;
  readonly calls: readonly PartialCall[];
}

/** The last closing tag may be missing, because some servers treat it as a stop word. */
const TAGGED = /<tool_call>((?:(?!<tool_call>)[\s\S])*?)(?:<\/tool_call>|$)/g;
/** The format of Qwen's coding models, with or without the surrounding tag. */
const FUNCTION = /<function=[^>\s]{1,200}>(?:(?!<function=)[\s\S])*?<\/function>/g;
const FUNCTION_HEAD = /^<function=([^>\s]+)>/;
const PARAMETER = /<parameter=([^>\s]{1,200})>\n?((?:(?!<parameter=)[\s\S])*?)\n?<\/parameter>/g;

/**
 * Extracts calls from a text that the server did not parse. Only complete calls of offered tools are extracted;
 * everything else stays in the text.
 */
export function rescueTextCalls(content: string, tools: readonly ToolDefinition[]): Rescue {
  const calls: PartialCall[] = [];
  const extract = (whole: string, inner: string): string => {
    const call = readCall(inner.trim(), tools);
    if (!call) return whole;
    calls.push(call);
    return '';
  };
  const untagged = content.replace(TAGGED, extract);
  const rest = untagged.replace(FUNCTION, (whole) => extract(whole, whole));
  return calls.length === 0 ? { content, calls } : { content: rest.trim(), calls };
}

function readCall(inner: string, tools: readonly ToolDefinition[]): PartialCall | undefined {
  const head = FUNCTION_HEAD.exec(inner);
  // Without the closing tag, parameters may be missing.
  if (head) return inner.endsWith('</function>') ? readTaggedCall(head[1]!, inner, tools) : undefined;
  let value;
  try {
    value = asObject(JSON.parse(inner));
  } catch {
    return undefined;
  }
  const name = asText(value?.name);
  const tool = findOfferedTool(name, tools);
  if (!value || !tool) return undefined;
  const given = value.arguments ?? value.parameters;
  return typeof given === 'string'
    ? { id: '', name: tool.name, text: given, value: undefined }
    : { id: '', name: tool.name, text: '', value: given };
}

/** Reads a call in the tag format. Its parameters are plain text; the tool's schema says which ones are not strings. */
function readTaggedCall(name: string, body: string, tools: readonly ToolDefinition[]): PartialCall | undefined {
  const tool = findOfferedTool(name, tools);
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

function findOfferedTool(name: string, tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  const meant = resolveToolName(name, new Set(tools.map((tool) => tool.name)));
  return tools.find((tool) => tool.name === meant);
}
