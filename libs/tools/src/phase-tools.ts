import type { JsonObject } from '@phaseline/basics';
import type { ParsedArguments, ToolLookup } from '@phaseline/domain';
import type { ToolSettings, ToolSpec } from '@phaseline/contracts';
import { fitArguments } from './arguments/fit-arguments.js';
import type { Tool } from './tool.js';

/** The part of the registry that the tools of a phase use. */
interface RegisteredTools extends ToolLookup {
  get(name: string): Tool | undefined;
  listDynamicSpecs(settings: ToolSettings): readonly ToolSpec[];
}

/**
 * The tools of a process under the settings of one agent: with the effects and timeouts that the settings state, and with the
 * dynamic tools that only the settings name. Depends on nothing but the settings, so every worker offers the same tools.
 */
export class PhaseTools implements ToolLookup {
  private readonly named: ReadonlyMap<string, ToolSpec>;

  constructor(
    private readonly registry: RegisteredTools,
    private readonly settings: ToolSettings,
  ) {
    this.named = new Map(registry.listDynamicSpecs(settings).map((spec) => [spec.definition.name, spec]));
  }

  find(name: string): ToolSpec | undefined {
    const spec = this.registry.find(name);
    if (!spec) return this.named.get(name);
    const tool = this.registry.get(name);
    const adjusted = tool?.lane === 'runner' ? tool.adjust?.(this.settings) : undefined;
    if (!adjusted) return spec;
    const { effect = spec.effect, timeoutMs = spec.timeoutMs, note } = adjusted;
    const { definition } = spec;
    const description = note === undefined ? definition.description : `${definition.description} ${note}`;
    return { ...spec, effect, timeoutMs, definition: { ...definition, description } };
  }

  parseArguments(name: string, args: JsonObject): ParsedArguments {
    const named = this.registry.find(name) ? undefined : this.named.get(name);
    if (!named) return this.registry.parseArguments(name, args);
    // The server of a dynamic tool checks the arguments itself.
    return { arguments: fitArguments(named.definition.parameters, args), ignored: [] };
  }

  /** Returns the specs of the named tools in the given order. Unknown names are skipped. */
  specsOf(names: readonly string[]): readonly ToolSpec[] {
    return names.flatMap((name) => this.find(name) ?? []);
  }
}
