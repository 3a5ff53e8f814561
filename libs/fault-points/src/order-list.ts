import { carryOut } from './carry-out.js';
import { faultPointNames, type FaultPointName } from './fault-point-names.js';
import { parseOrder, type FaultAction } from './order.js';

/** Orders that were there when the process started. */
export class OrderList {
  private readonly left = new Map<FaultPointName, { readonly action: FaultAction; times: number }[]>();

  /** Takes `name:kill@3,name:stop`. Throws for a name that is none, so that no run tests nothing. */
  constructor(text: string) {
    for (const part of text.split(',').filter(Boolean)) {
      const colon = part.indexOf(':');
      const name = part.slice(0, colon).trim() as FaultPointName;
      if (!faultPointNames.includes(name)) throw new Error(`there is no fault point named "${name}"`);
      const { action, nth } = parseOrder(part.slice(colon + 1));
      this.left.set(name, [...(this.left.get(name) ?? []), { action, times: nth }]);
    }
  }

  reached(name: FaultPointName): void {
    for (const order of this.left.get(name) ?? []) {
      order.times -= 1;
      if (order.times === 0) carryOut(order.action);
    }
  }
}
