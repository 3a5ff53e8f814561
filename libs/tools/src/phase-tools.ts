import type { JsonObject, ToolLookup, ToolSettings, ToolSpec } from '@phaseline/domain';
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

  complaint(name: string, args: JsonObject): string | undefined {
    return this.registry.complaint(name, args);
  }

  /** The specs of those of the tools that this process knows, in the order given. */
  specsOf(names: readonly string[]): readonly ToolSpec[] {
    return names.flatMap((name) => this.find(name) ?? []);
  }
}
