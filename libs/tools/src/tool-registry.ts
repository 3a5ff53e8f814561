import type { JsonObject } from '@phaseline/basics';
import type { PhaseState, ParsedArguments, ToolLookup } from '@phaseline/domain';
import type { DynamicToolSpecs, PackSpec, ToolDeclaration, ToolSettings, ToolSpec } from '@phaseline/contracts';
import { fitArguments, findUnknownArguments } from './arguments/fit-arguments.js';
import { buildInputSchema } from './arguments/input-schema.js';
import { describeMismatch } from './arguments/parse-input.js';
import { PhaseTools } from './phase-tools.js';
import type { DynamicTools, Tool, ToolPack } from './tool.js';

/** Timeout of every inline tool. They only read memory and the database, but every call needs a bound. */
const INLINE_TOOL_TIMEOUT_MS = 30_000;

/**
 * The tools of a process by name: their specs for the domain, and the code that runs them. For a pack that this process does not run, it
 * needs only the declarations.
 */
export class ToolRegistry implements ToolLookup {
  private readonly declared = new Map<string, ToolDeclaration | Tool>();
  private readonly specs = new Map<string, ToolSpec>();
  private readonly dynamic: (DynamicToolSpecs | DynamicTools)[] = [];

  constructor(packs: readonly (PackSpec | ToolPack)[]) {
    for (const pack of packs) {
      for (const tool of pack.tools) this.add(tool);
      if (pack.dynamic) this.dynamic.push(pack.dynamic);
    }
  }

  /** Returns a tool that this process can run. */
  get(name: string): Tool | undefined {
    const known = this.declared.get(name);
    if (known) return 'run' in known ? known : undefined;
    for (const pack of this.dynamic) {
      const tool = 'get' in pack ? pack.get(name) : undefined;
      if (tool) return tool;
    }
    return undefined;
  }

  /** Returns the tools with the settings of the phase's agent. */
  forPhase(state: PhaseState): PhaseTools {
    return this.forSettings(state.start.terms.settings ?? {});
  }

  /** Returns the tools with the settings of an agent. */
  forSettings(settings: ToolSettings): PhaseTools {
    return new PhaseTools(this, settings);
  }

  /** Returns the specs of the dynamic tools that the settings name. */
  listDynamicSpecs(settings: ToolSettings): readonly ToolSpec[] {
    return this.dynamic.flatMap((pack) => pack.list(settings));
  }

  find(name: string): ToolSpec | undefined {
    return this.specs.get(name);
  }

  /** Returns the spec of a tool with the settings of an agent. */
  findAdjusted(name: string, settings: ToolSettings): ToolSpec | undefined {
    const spec = this.specs.get(name);
    const tool = this.declared.get(name);
    const adjusted = tool?.lane === 'remote' ? tool.adjust?.(settings) : undefined;
    if (!spec || !adjusted) return spec;
    const { effect = spec.effect, timeoutMs = spec.timeoutMs, note } = adjusted;
    const { definition } = spec;
    const description = note === undefined ? definition.description : `${definition.description} ${note}`;
    return { ...spec, effect, timeoutMs, definition: { ...definition, description } };
  }

  /** Returns the specs of the named tools in the given order. Throws for a name that no pack has. */
  specsOf(names: readonly string[]): readonly ToolSpec[] {
    return names.map((name) => {
      const spec = this.specs.get(name);
      if (!spec)
        throw new Error(
          `no loaded pack has a tool named ${name}; known tools: ${[...this.declared.keys()].join(', ')}`,
        );
      return spec;
    });
  }

  listNames(): readonly string[] {
    return [...this.declared.keys()];
  }

  parseArguments(name: string, args: JsonObject): ParsedArguments {
    const tool = this.declared.get(name);
    const schema = this.specs.get(name)?.definition.parameters;
    if (!tool || !schema) return { arguments: args, ignoredArguments: [] };
    const asSent = tool.input.safeParse(args);
    const fitted = asSent.success ? args : fitArguments(schema, args);
    if (asSent.success || tool.input.safeParse(fitted).success)
      return { arguments: fitted, ignoredArguments: findUnknownArguments(schema, fitted) };
    return { problem: describeMismatch(asSent.error) };
  }

  private add(tool: ToolDeclaration): void {
    const { name, description, input, lane, traits = [] } = tool;
    if (this.declared.has(name)) throw new Error(`two packs have a tool named ${name}`);
    this.declared.set(name, tool);
    let parameters: JsonObject | undefined;
    this.specs.set(name, {
      definition: {
        name,
        description,
        // Built when first used: the schemas of all tools take a service a quarter of a second, and an agent has only some of them.
        get parameters() {
          return (parameters ??= buildInputSchema(input));
        },
      },
      lane,
      effect: tool.lane === 'remote' ? tool.effect : 'pure',
      timeoutMs: tool.lane === 'remote' ? tool.timeoutMs : INLINE_TOOL_TIMEOUT_MS,
      traits,
    });
  }
}
