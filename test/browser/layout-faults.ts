import type { Page } from 'playwright-core';

/** Runs in the page. Finds what overlaps, sticks out, or is cut, by the rectangles of its elements. */
const findFaults = (): readonly string[] => {
  const faults: string[] = [];
  const nameOf = (element: Element): string =>
    `${element.tagName.toLowerCase()}${[...element.classList].map((name) => `.${name}`).join('')}` +
    ` "${(element.textContent ?? '').trim().slice(0, 30)}"`;
  const isShown = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const styleOf = (element: Element) => getComputedStyle(element);
  /** Elements that are placed over others on purpose, such as a link that covers its message. */
  const isPlaced = (element: Element): boolean => ['absolute', 'fixed'].includes(styleOf(element).position);
  const scrolls = (element: Element): boolean => /auto|scroll/.test(styleOf(element).overflowX);

  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push(`the page scrolls horizontally: ${scrollWidth} > ${innerWidth}`);

  const elements = [...document.body.querySelectorAll('*')].filter(
    (element) => isShown(element) && element.closest('svg') === null && !element.classList.contains('visually-hidden'),
  );
  for (const element of elements) {
    const { overflowX, textOverflow, display } = styleOf(element);
    const isTooNarrow = element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1;
    if (isTooNarrow && (overflowX === 'visible' || scrolls(element)) && element.tagName !== 'PRE') {
      faults.push(`${nameOf(element)} is wider than its box: ${element.scrollWidth} > ${element.clientWidth}`);
    }
    const isLabel = element.matches('button, label, summary *, h1, h2, h3, h4, dt, legend, .badge, .tabs *, .states *');
    if (isTooNarrow && overflowX === 'hidden' && (isLabel || textOverflow !== 'ellipsis')) {
      faults.push(`${nameOf(element)} is cut: ${element.scrollWidth} > ${element.clientWidth}`);
    }
    const isRow = display.includes('flex') || display.includes('grid') || display === 'block';
    const children = [...element.children].filter(
      (child) => isShown(child) && !isPlaced(child) && styleOf(child).display !== 'inline',
    );
    if (!isRow) continue;
    for (const [index, one] of children.entries()) {
      const first = one.getBoundingClientRect();
      for (const other of children.slice(index + 1)) {
        const second = other.getBoundingClientRect();
        const width = Math.min(first.right, second.right) - Math.max(first.left, second.left);
        const height = Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top);
        if (width > 1 && height > 1) faults.push(`${nameOf(one)} overlaps ${nameOf(other)}`);
      }
    }
  }

  const context = document.createElement('canvas').getContext('2d');
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')) {
    if (!isShown(field) || ['checkbox', 'radio'].includes(field.type) || context === null) continue;
    const { font, paddingLeft, paddingRight } = styleOf(field);
    context.font = font;
    const text = field instanceof HTMLSelectElement ? (field.selectedOptions[0]?.text ?? '') : field.placeholder;
    // A select has an arrow.
    const arrow = field instanceof HTMLSelectElement ? 16 : 0;
    const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - arrow;
    const needed = Math.ceil(context.measureText(text).width);
    if (needed > room + 1) faults.push(`${nameOf(field)} cuts "${text}": ${needed} > ${Math.floor(room)}`);
  }
  return [...new Set(faults)];
};

/** Returns what overlaps, sticks out of its box, or is cut on the page as it is shown now. */
export const layoutFaults = (page: Page): Promise<readonly string[]> => page.evaluate(findFaults);
