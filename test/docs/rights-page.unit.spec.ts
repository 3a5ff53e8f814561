import { expect, it } from 'vitest';
import { describeRights } from '../../libs/identity/src/rights/describe-rights.js';

it('the page of rights and roles matches the data', async () => {
  await expect(describeRights()).toMatchFileSnapshot('../../docs/reference/rights.md');
});
