export { ToolBench, phaseState } from './tool-contexts.fixture.js';
