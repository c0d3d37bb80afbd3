import type { Page } from 'playwright-core';
import { quantile } from '../report.ts';

/** JavaScript for the page: what to do, and what is true once the result is shown. */
export interface Interaction {
  readonly name: string;
  /** Prepares each repetition; not measured. */
  readonly before?: (index: number) => string;
  readonly action: (index: number) => string;
  readonly isShown: (index: number) => string;
}

export interface Measured {
  readonly name: string;
  readonly medianMs: number;
  readonly maxMs: number;
}

const LIMIT_MS = 10_000;
/** Lets the page finish what it does after a result is shown, as a person would. */
const PAUSE_MS = 60;

/** Measures an interaction several times, from the action to the frame that shows its result. */
export const measure = async (page: Page, interaction: Interaction, times: number): Promise<Measured> => {
  const tookMs: number[] = [];
  for (let index = 0; index < times; index += 1) {
    if (interaction.before) await page.evaluate(`(async () => { ${interaction.before(index)} })()`);
    await page.waitForTimeout(PAUSE_MS);
    try {
      tookMs.push(await page.evaluate<number>(timed(interaction.action(index), interaction.isShown(index))));
    } catch (cause) {
      throw new Error(`${interaction.name}, repetition ${index} on ${page.url()}`, { cause });
    }
  }
  return { name: interaction.name, medianMs: quantile(tookMs, 0.5), maxMs: Math.max(...tookMs) };
};

/** Returns code that performs an action and measures the time to the frame that shows its result. */
const timed = (action: string, isShown: string): string => `(async () => {
  const start = performance.now();
  ${action};
  while (!(${isShown})) {
    if (performance.now() - start > ${LIMIT_MS}) throw new Error('The result was not shown within ${LIMIT_MS / 1000} s.');
    await new Promise((next) => setTimeout(next, 0));
  }
  await new Promise((next) => requestAnimationFrame(() => setTimeout(next, 0)));
  return performance.now() - start;
})()`;
