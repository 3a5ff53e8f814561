import type { JsonObject } from '@phaseline/basics';
import type { PhaseState, ParsedArguments, ToolLookup } from '@phaseline/domain';
import type { ToolSettings, ToolSpec } from '@phaseline/contracts';
import { fitArguments, findUnknownArguments } from './arguments/fit-arguments.js';
import { buildInputSchema } from './arguments/input-schema.js';
import { PhaseTools } from './phase-tools.js';
import type { DynamicTools, Tool, ToolPack } from './tool.js';

/** Timeout of every log tool. They only read memory and the database, but every call needs a bound. */
const LOG_TOOL_TIMEOUT_MS = 30_000;

/** The tools of a process by name: their specs for the domain, and the code that runs them. */
export class ToolRegistry implements ToolLookup {
  private readonly tools = new Map<string, Tool>();
  private readonly specs = new Map<string, ToolSpec>();
  private readonly dynamic: DynamicTools[] = [];

  constructor(packs: readonly ToolPack[]) {
    for (const pack of packs) {
      for (const tool of pack.tools) this.add(tool);
      if (pack.dynamic) this.dynamic.push(pack.dynamic);
    }
  }

  get(name: string): Tool | undefined {
    const known = this.tools.get(name);
    for (const pack of known ? [] : this.dynamic) {
      const tool = pack.get(name);
      if (tool) return tool;
    }
    return known;
  }

  /** Returns the tools under the settings of the phase's agent. */
  forPhase(state: PhaseState): PhaseTools {
    return new PhaseTools(this, state.start.settings ?? {});
  }

  /** Returns the specs of the dynamic tools that the settings name. */
  listDynamicSpecs(settings: ToolSettings): readonly ToolSpec[] {
    return this.dynamic.flatMap((pack) => pack.list(settings));
  }

  find(name: string): ToolSpec | undefined {
    return this.specs.get(name);
  }

  /** Returns the specs of the named tools in the given order. Throws for a name that no pack has. */
  specsOf(names: readonly string[]): readonly ToolSpec[] {
    return names.map((name) => {
      const spec = this.specs.get(name);
      if (!spec)
        throw new Error(`no loaded pack has a tool named ${name}; known tools: ${[...this.tools.keys()].join(', ')}`);
      return spec;
    });
  }

  listNames(): readonly string[] {
    return [...this.tools.keys()];
  }

  parseArguments(name: string, args: JsonObject): ParsedArguments {
    const tool = this.tools.get(name);
    const schema = this.specs.get(name)?.definition.parameters;
    if (!tool || !schema) return { arguments: args, ignored: [] };
    const asSent = tool.input.safeParse(args);
    const fitted = asSent.success ? args : fitArguments(schema, args);
    if (asSent.success || tool.input.safeParse(fitted).success)
      return { arguments: fitted, ignored: findUnknownArguments(schema, fitted) };
    const complaint = asSent.error.issues
      .slice(0, 5)
      .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}.`)
      .join(' ');
    return { problem: complaint };
  }

  private add(tool: Tool): void {
    if (this.tools.has(tool.name)) throw new Error(`two packs have a tool named ${tool.name}`);
    this.tools.set(tool.name, tool);
    this.specs.set(tool.name, {
      definition: { name: tool.name, description: tool.description, parameters: buildInputSchema(tool.input) },
      lane: tool.lane,
      effect: tool.lane === 'runner' ? tool.effect : 'pure',
      timeoutMs: tool.lane === 'runner' ? tool.timeoutMs : LOG_TOOL_TIMEOUT_MS,
    });
  }
}
