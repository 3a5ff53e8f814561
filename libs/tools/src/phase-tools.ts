import type { JsonObject, ReadArguments, ToolLookup, ToolSettings, ToolSpec } from '@phaseline/domain';
import { fitArguments } from './arguments/fit-arguments.js';
import type { ToolRegistry } from './tool-registry.js';

/**
 * The tools of a process as one agent's settings make them: with the effect and the timeout that they state, and with the
 * tools that only they name. Decided by the settings alone, so that every worker offers the same.
 */
export class PhaseTools implements ToolLookup {
  private readonly named: ReadonlyMap<string, ToolSpec>;

  constructor(
    private readonly registry: ToolRegistry,
    private readonly settings: ToolSettings,
  ) {
    this.named = new Map(registry.named(settings).map((spec) => [spec.definition.name, spec]));
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

  readArguments(name: string, args: JsonObject): ReadArguments {
    const named = this.registry.find(name) ? undefined : this.named.get(name);
    if (!named) return this.registry.readArguments(name, args);
    // What a tool from outside does not know, its own server judges.
    return { arguments: fitArguments(named.definition.parameters, args), ignored: [] };
  }

  /** The specs of those of the tools that this process knows, in the order given. */
  specsOf(names: readonly string[]): readonly ToolSpec[] {
    return names.flatMap((name) => this.find(name) ?? []);
  }
}
