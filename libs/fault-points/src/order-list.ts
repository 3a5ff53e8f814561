import { executeAction } from './execute-action.js';
import { faultPointNames, type FaultPointName } from './fault-point-names.js';
import { parseOrder, type FaultAction } from './order.js';

/** Orders given when the process started. */
export class OrderList {
  private readonly pending = new Map<FaultPointName, { readonly action: FaultAction; times: number }[]>();

  /** Parses orders such as `name:kill@3,name:stop`. Throws for an unknown name, because such a run would test nothing. */
  constructor(text: string) {
    for (const part of text.split(',').filter(Boolean)) {
      const colon = part.indexOf(':');
      const name = part.slice(0, colon).trim() as FaultPointName;
      if (!faultPointNames.includes(name)) throw new Error(`there is no fault point named "${name}"`);
      const { action, nth } = parseOrder(part.slice(colon + 1));
      this.pending.set(name, [...(this.pending.get(name) ?? []), { action, times: nth }]);
    }
  }

  handleVisit(name: FaultPointName): void {
    for (const order of this.pending.get(name) ?? []) {
      order.times -= 1;
      if (order.times === 0) executeAction(order.action);
    }
  }
}
