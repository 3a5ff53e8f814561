import { killSuite } from './kill-suite.js';

killSuite('redis');
