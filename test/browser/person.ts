import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Somebody who works with the page: presses what is visible and enabled, and types into fields. */
export interface Person {
  press(target: Locator): Promise<void>;
  /** Replaces the content of a field. */
  type(target: Locator, text: string): Promise<void>;
  /** Submits the form of the field that was typed into last. */
  submit(): Promise<void>;
}

export const withMouse = (page: Page): Person => ({
  async press(target) {
    await expectUsable(target);
    await target.click();
  },
  async type(target, text) {
    await expectUsable(target);
    await target.click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(text);
  },
  submit: () => page.keyboard.press('Enter'),
});

/** More is a detour that a person would not accept. */
const MAX_TABS = 40;

/** Never uses the mouse, and never sets the focus otherwise than by pressing a key. */
export const withKeyboard = (page: Page): Person => {
  const counts: string[] = [];
  const reach = async (target: Locator) => {
    await expectUsable(target);
    let presses = 0;
    for (;;) {
      const direction = await target.evaluate(directionFromFocus);
      if (direction === 'here') break;
      if (presses === MAX_TABS) {
        throw new Error(`${MAX_TABS} presses of Tab do not reach ${target}. Before:\n${counts.join('\n')}`);
      }
      await page.keyboard.press(direction === 'back' ? 'Shift+Tab' : 'Tab');
      presses += 1;
    }
    counts.push(`${presses} presses of Tab to ${target}`);
  };
  return {
    async press(target) {
      await reach(target);
      await page.keyboard.press('Enter');
    },
    async type(target, text) {
      await reach(target);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(text);
    },
    submit: () => page.keyboard.press('Enter'),
  };
};

/** Runs in the page. A person sees where the focus is, and goes back if that is shorter. */
const directionFromFocus = (target: Element): 'here' | 'back' | 'on' => {
  const { activeElement, body } = target.ownerDocument;
  if (activeElement === target) return 'here';
  if (activeElement === null || activeElement === body) return 'on';
  return target.compareDocumentPosition(activeElement) & Node.DOCUMENT_POSITION_FOLLOWING ? 'back' : 'on';
};

const expectUsable = async (target: Locator): Promise<void> => {
  await target.waitFor();
  expect(await target.isEnabled(), `${target} is enabled`).toBe(true);
};
