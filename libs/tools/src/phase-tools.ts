import type { JsonObject } from '@phaseline/basics';
import type { ParsedArguments, ToolLookup } from '@phaseline/domain';
import type { ToolSettings, ToolSpec } from '@phaseline/contracts';
import { fitArguments } from './arguments/fit-arguments.js';

/** The part of the registry that the tools of a phase use. */
interface RegisteredTools extends ToolLookup {
  findAdjusted(name: string, settings: ToolSettings): ToolSpec | undefined;
  listDynamicSpecs(settings: ToolSettings): readonly ToolSpec[];
}

/**
 * The tools of a process with the settings of one agent: with the effects and timeouts from the settings, and with the
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
    return this.registry.findAdjusted(name, this.settings) ?? this.named.get(name);
  }

  parseArguments(name: string, args: JsonObject): ParsedArguments {
    const named = this.registry.find(name) ? undefined : this.named.get(name);
    if (!named) return this.registry.parseArguments(name, args);
    // The server of a dynamic tool checks the arguments itself.
    return { arguments: fitArguments(named.definition.parameters, args), ignoredArguments: [] };
  }

  /** Returns the specs of the named tools in the given order. Unknown names are skipped. */
  specsOf(names: readonly string[]): readonly ToolSpec[] {
    return names.flatMap((name) => this.find(name) ?? []);
  }
}
