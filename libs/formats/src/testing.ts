export { craneHandbook } from './fixtures/handbook.fixture.js';
export { lastenheft } from './fixtures/lastenheft.fixture.js';
export { makePdf } from './fixtures/pdf.fixture.js';
