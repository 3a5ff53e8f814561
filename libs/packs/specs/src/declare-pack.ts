import type { DeclaredPack, DeclaredTools, ToolDeclaration } from '@phaseline/contracts';

/** Declares the tools of a pack by name. They keep the given order. */
export function declarePack<const Tools extends DeclaredTools>(name: string, byName: Tools): DeclaredPack<Tools> {
  const tools = Object.entries(byName).map(([toolName, tool]): ToolDeclaration => ({ ...tool, name: toolName }));
  return { name, tools, byName };
}
