import type { Page } from 'playwright-core';

// Both functions run in the page, so each is whole by itself.

/** Finds elements that overlap, stick out of their boxes, or are cut, by their rectangles. */
const findBoxFaults = (): readonly string[] => {
  const faults: string[] = [];
  const nameOf = ({ tagName, classList, textContent }: Element): string =>
    `${[tagName.toLowerCase(), ...classList].join('.')} "${(textContent ?? '').trim().slice(0, 30)}"`;
  const isShown = (element: Element): boolean => element.checkVisibility() && element.getClientRects().length > 0;
  /** What is placed over other elements on purpose, such as the link that covers a message, and text in a line. */
  const isInFlow = (element: Element): boolean => {
    const { position, display } = getComputedStyle(element);
    return isShown(element) && !['absolute', 'fixed'].includes(position) && display !== 'inline';
  };
  const overlap = (one: DOMRect, other: DOMRect): boolean =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;

  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push(`the page scrolls horizontally: ${scrollWidth} > ${innerWidth}`);
  for (const element of document.body.querySelectorAll('*:not(svg *, pre, input, .visually-hidden)')) {
    if (!isShown(element)) continue;
    const { overflowX, textOverflow } = getComputedStyle(element);
    const widths = `${element.scrollWidth} > ${element.clientWidth}`;
    if (element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1) {
      const isLabel = element.matches(
        'button, label, summary *, h1, h2, h3, h4, dt, legend, .badge, .tabs *, .states *, .reason, .contact-bar *',
      );
      if (overflowX !== 'hidden') faults.push(`${nameOf(element)} is wider than its box: ${widths}`);
      else if (isLabel || textOverflow !== 'ellipsis') faults.push(`${nameOf(element)} is cut: ${widths}`);
    }
    const children = [...element.children].filter(isInFlow);
    for (const [index, one] of children.entries()) {
      for (const other of children.slice(index + 1)) {
        if (!overlap(one.getBoundingClientRect(), other.getBoundingClientRect())) continue;
        faults.push(`${nameOf(one)} overlaps ${nameOf(other)}`);
      }
    }
  }
  return faults;
};

/** Finds labels whose words are broken, and fields that cut a placeholder or a choice. */
const findTextFaults = (): readonly string[] => {
  const faults: string[] = [];
  for (const element of document.querySelectorAll('button, label, h1, h2, h3, h4, dt, legend, .badge')) {
    const [text] = element.childNodes;
    if (!(text instanceof Text) || element.matches('.id')) continue;
    for (const { 0: word, index } of text.data.matchAll(/[A-Za-z]{2,}/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)));
      if (lines.size > 1) faults.push(`"${element.textContent}" breaks the word ${word}`);
    }
  }

  const context = document.createElement('canvas').getContext('2d');
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')) {
    if (!field.checkVisibility() || ['checkbox', 'radio'].includes(field.type) || context === null) continue;
    const isSelect = field instanceof HTMLSelectElement;
    const text = isSelect ? (field.selectedOptions[0]?.text ?? '') : field.placeholder;
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    context.font = font;
    const needed = Math.ceil(context.measureText(text).width);
    // A select has an arrow, and a number has two.
    const arrow = isSelect || field.type === 'number' ? 16 : 0;
    const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - arrow;
    if (needed > room + 1) faults.push(`a field cuts "${text}": ${needed} > ${Math.floor(room)}`);
  }
  return faults;
};

/** Returns what overlaps, sticks out of its box, is cut, or is broken on the page as it is shown now. */
export const layoutFaults = async (page: Page): Promise<readonly string[]> => [
  ...new Set([...(await page.evaluate(findBoxFaults)), ...(await page.evaluate(findTextFaults))]),
];
