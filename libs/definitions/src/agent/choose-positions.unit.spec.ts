import { agentDefinitionSchema } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { choosePositions, type InputPrices } from './choose-positions.js';

const choose = (given: object, prices?: InputPrices) => {
  const definition = agentDefinitionSchema.parse({ name: 'a', displayName: 'A', tools: {}, ...given });
  const { todoList, clearTokens } = choosePositions(definition, given, prices).context;
  return [todoList, clearTokens];
};
const prices = (cachedInputUsdPerMillion?: number, cacheWriteInputUsdPerMillion?: number): InputPrices => ({
  inputUsdPerMillion: 1,
  cachedInputUsdPerMillion,
  cacheWriteInputUsdPerMillion,
});

it.each<[string, InputPrices | undefined, unknown[]]>([
  ['cost a tenth', prices(0.1), ['last', 8_000]],
  ['cost a quarter', prices(0.25), ['after-system', 12_000]],
  ['cost a quarter and are dear to write', prices(0.25, 1.25), ['last', 8_000]],
  ['have no price of their own', prices(), ['after-system', 12_000]],
  ['cost nothing, like all others', { inputUsdPerMillion: 0 }, ['after-system', 12_000]],
  ['are those of an unknown model', undefined, ['after-system', 12_000]],
])('the todo list is where it costs least if cached tokens %s', (_, given, expected) => {
  expect(choose({}, given)).toEqual(expected);
});

it('what the definition says counts, whatever the prices are', () => {
  expect(choose({ context: { todoList: 'after-system' } }, prices(0.1))).toEqual(['after-system', 12_000]);
  expect(choose({ context: { clearTokens: 5_000 } }, prices(0.1))).toEqual(['last', 5_000]);
});
