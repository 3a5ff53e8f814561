import { chaosSuite } from './chaos-suite.js';

await chaosSuite('redis');
