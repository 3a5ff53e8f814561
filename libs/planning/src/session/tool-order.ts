/** What tools of the planner need and make. */
export type Product = 'session' | 'context' | 'pattern' | 'outline' | 'roadmap' | 'schedule';

export interface ToolOrder {
  readonly prerequisites: readonly Product[];
  readonly produces: readonly Product[];
}

/** What each tool of the planner needs before it can run, and what it makes. Tools that make nothing change only the session. */
export const toolOrders = {
  open_session: { prerequisites: [], produces: ['session'] },
  context_elicitor: { prerequisites: ['session'], produces: ['context'] },
  preference_probe: { prerequisites: ['session'], produces: [] },
  portfolio_probe: { prerequisites: ['context'], produces: [] },
  brainstormer: { prerequisites: ['session'], produces: [] },
  pattern_selector: { prerequisites: ['context'], produces: ['pattern'] },
  node_generator: { prerequisites: ['context', 'pattern'], produces: ['outline'] },
  grammar_validator: { prerequisites: ['outline'], produces: [] },
  dependency_resolver: { prerequisites: ['outline'], produces: [] },
  option_crafter: { prerequisites: ['outline'], produces: [] },
  roadmap_builder: { prerequisites: ['outline'], produces: ['roadmap'] },
  schedule_generator: { prerequisites: ['roadmap'], produces: ['schedule'] },
  summarizer: { prerequisites: ['session'], produces: [] },
  approval_handler: { prerequisites: ['session'], produces: [] },
} as const satisfies Readonly<Record<string, ToolOrder>>;
export type PlanningTool = keyof typeof toolOrders;

/** Returns what a tool needs that does not exist yet. */
export function findMissingPrerequisites(tool: PlanningTool, existing: ReadonlySet<Product>): readonly Product[] {
  const { prerequisites }: ToolOrder = toolOrders[tool];
  return prerequisites.filter((product) => !existing.has(product));
}

/** Returns the tools in an order in which each finds what it needs, or those that could never run. */
export function orderTools(
  orders: Readonly<Record<string, ToolOrder>>,
): { readonly order: readonly string[] } | { readonly impossible: readonly string[] } {
  const order: string[] = [];
  const existing = new Set<Product>();
  let left = Object.keys(orders);
  for (;;) {
    const ready = left.filter((name) => orders[name]!.prerequisites.every((product) => existing.has(product)));
    if (ready.length === 0) return left.length === 0 ? { order } : { impossible: left };
    for (const name of ready) for (const product of orders[name]!.produces) existing.add(product);
    order.push(...ready);
    left = left.filter((name) => !ready.includes(name));
  }
}
