import { expect, it } from 'vitest';
import { renderSetting } from './render-retention.js';

it('says of each kind when it is removed, and that files are kept', () => {
  const none = { tenant: 'red', filesDays: null, vectorsDays: null, learningDays: null, coldDays: null };
  expect(renderSetting(none)).toBe('red keeps everything.');
  expect(renderSetting({ ...none, filesDays: 30, vectorsDays: 7, learningDays: 1 })).toBe(
    'red: files are removed 30 days, vectors 7 days, learning traces 1 day after the end of a job',
  );
  expect(renderSetting({ ...none, learningDays: 180 })).toBe(
    'red: learning traces are removed 180 days after the end of a job; files are kept',
  );
});
