/** Begins with the files that take longest, so that none of them is still running when there is nothing else to do. */
import { statSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';
import { startsProgram } from './needs.mjs';

/** In ms, for a file that has not run here yet: a program takes a while to start and stop; else a byte stands for a millisecond. */
const guess = (file) => (startsProgram(file) ? 30_000 : statSync(file).size);

export class LongestFirst extends BaseSequencer {
  async sort(specifications) {
    const { cache } = this.ctx;
    const sorted = specifications.map((specification) => ({
      specification,
      group: specification.project.config.sequence.groupOrder,
      // A process serves the files of one project.
      project: specification.project.name,
      ms: cache.getTestSpecificationResult(specification)?.duration ?? guess(specification.moduleId),
    }));
    sorted.sort((a, b) => a.group - b.group || a.project.localeCompare(b.project) || b.ms - a.ms);
    return sorted.map(({ specification }) => specification);
  }
}
