import type { DeclaredPack, DeclaredTools, ToolDeclaration } from '@phaseline/contracts';

/** Declares the tools of a pack by name. They keep the given order. */
export function declarePack<const Tools extends DeclaredTools>(name: string, byName: Tools): DeclaredPack<Tools> {
  const tools = Object.entries(byName).map(([toolName, tool]): ToolDeclaration => ({ ...tool, name: toolName }));
  return { name, tools, byName };
}

/**
 * Declares tools for the actual work. A phase that plans may not do the work, so it is offered only those in `forPlanning`: they read
 * what a plan depends on.
 */
export function declareDomainPack<const Tools extends DeclaredTools>(
  name: string,
  byName: Tools,
  { forPlanning = [] }: { readonly forPlanning?: readonly (keyof Tools)[] } = {},
): DeclaredPack<Tools> {
  const pack = declarePack(name, byName);
  const tools = pack.tools.map((tool): ToolDeclaration =>
    forPlanning.includes(tool.name) ? tool : { ...tool, traits: [...(tool.traits ?? []), 'tactical_only'] },
  );
  return { ...pack, tools };
}
