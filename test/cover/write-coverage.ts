/** Has V8 write down what ran, after each file of tests: a worker of the tests is killed before it would do so itself. */
import { takeCoverage } from 'node:v8';
import { afterAll } from 'vitest';

afterAll(() => takeCoverage());
