import type { Interaction } from './measure.ts';

// Code for the page: a person's interactions with the console, and how the page shows their results.

const $ = (selector: string): string => `document.querySelector(${JSON.stringify(selector)})`;
const $$ = (selector: string): string => `[...document.querySelectorAll(${JSON.stringify(selector)})]`;
const text = (selector: string): string => `(${$(selector)}?.textContent ?? '')`;
/** Sets a field's value as typing does. */
const type = (selector: string, value: string): string =>
  `${$(selector)}.value = ${JSON.stringify(value)}; ${$(selector)}.dispatchEvent(new Event('input', { bubbles: true }))`;
const wait = (condition: string): string => `while (!(${condition})) await new Promise((next) => setTimeout(next, 5))`;

const USERS = '.users .virtual-list';
const REQUESTS = '.requests .virtual-list';
const tab = (name: string): string => `${$$('.tabs a')}.find((link) => link.textContent.startsWith('${name}'))`;

/** Among many users. */
export const browse = (users: number): readonly Interaction[] => [
  {
    name: 'search for a user',
    action: (index) => type('.search input', `User ${index} of`),
    isShown: (index) => `${text('.user .name')} === 'User ${index} of ${users}'`,
  },
  {
    name: 'scroll the users',
    before: (index) => (index === 0 ? `${type('.search input', '')}; ${wait(`${$$('.user')}.length > 5`)}` : ''),
    action: (index) => `${$(USERS)}.scrollTop = ${(index + 1) * 1_000}`,
    isShown: (index) => `${$$(`${USERS} li`)}.some((row) => Number(row.ariaPosInSet) > ${(index + 1) * 19})`,
  },
  {
    name: 'select a user, until the conversation is shown',
    before: () => `${$(USERS)}.scrollTop = 0; ${wait($(`${USERS} li[aria-posinset="1"]`))}`,
    action: (index) => `window.chosen = ${$$('.users .user')}[${1 + (index % 2)}];
      window.chosenName = window.chosen.querySelector('.name').textContent;
      window.chosen.click()`,
    isShown: () => `${text('.users [aria-current] .name')} === window.chosenName && ${$('.bubble')}`,
  },
];

/** On the phone of a user with many messages. */
export const phone: readonly Interaction[] = [
  {
    name: 'select a message, until its timeline is shown',
    before: () => wait(`${$$('.select')}.length > 20`),
    action: (index) => `${$$('.select')}[${index}].click()`,
    isShown: (index) => `${$$('.bubble')}[${index}].matches('.selected') && ${$('.step h3')}`,
  },
  {
    name: 'load earlier messages',
    before: () => `if (!${$('.load-more:first-child')}) { ${$('.load-more:last-child')}.click();
      ${wait($('.load-more:first-child'))} }`,
    action: () => `window.firstBubble = ${$('.bubble')}; ${$('.load-more:first-child')}.click()`,
    isShown: () => `${$('.bubble')} !== window.firstBubble`,
  },
  {
    name: 'send as the user',
    before: (index) =>
      `${$('.load-more:last-child')}?.click(); ${wait(`!${$('.load-more:last-child')}`)}; ${type('.composer textarea', `Bench ${index}`)}`,
    action: () => `${$('.round.send')}.click()`,
    isShown: (index) => `${$$('.in .text')}.at(-1)?.textContent === 'Bench ${index}'`,
  },
];

const isListed = (condition: string): string =>
  `${$$(`${REQUESTS} .request-row`)}.length > 0 && ${$$(`${REQUESTS} .request-row`)}.every((row) => ${condition})`;
const STATES = ['refused', 'scheduled', 'accepted', 'rejected'] as const;
const stateOf = (index: number): string => STATES[index % STATES.length] ?? '';

/** Among many requests. */
export const lists: readonly Interaction[] = [
  {
    name: 'switch to another list',
    action: (index) => `${tab(index % 2 === 0 ? 'Event log' : 'All requests')}.click()`,
    isShown: (index) => (index % 2 === 0 ? `!${$(REQUESTS)} && ${$('.log-row')}` : `${$(`${REQUESTS} .request-row`)}`),
  },
  {
    name: 'filter the requests by text',
    action: (index) => type('.filter-bar input', `order-${index + 100}`),
    isShown: (index) => isListed(`row.textContent.includes('order-${index + 100}')`),
  },
  {
    name: 'filter the requests by state',
    before: (index) =>
      index === 0 ? `${type('.filter-bar input', '')}; ${wait(`${$$(`${REQUESTS} .request-row`)}.length > 5`)}` : '',
    action: (index) => `${$$('.states a')}.find((link) => link.textContent.startsWith('${stateOf(index)}')).click()`,
    isShown: (index) => isListed(`row.querySelector('.badge').textContent === '${stateOf(index)}'`),
  },
  {
    name: 'scroll all requests',
    before: (index) =>
      index === 0 ? `${$('.states a')}.click(); ${wait(`${$$(REQUESTS)}[0].scrollHeight > 5_000`)}` : '',
    action: (index) => `${$(REQUESTS)}.scrollTop = ${(index + 1) * 200}`,
    isShown: (index) => `${$$(`${REQUESTS} li`)}.some((row) => row.style.transform.includes('Y(') &&
      row.getBoundingClientRect().top <= ${$(REQUESTS)}.getBoundingClientRect().top && Number(row.ariaPosInSet) > ${index})`,
  },
  {
    // A different row each time, because the page remembers the latest timelines.
    name: "open another user's request",
    before: (index) => `${$(REQUESTS)}.scrollTop = ${index} * ${$(`${REQUESTS} li`)}.offsetHeight;
      ${wait($(`${REQUESTS} li[aria-posinset="${index + 1}"]`))}`,
    action: (index) => `window.row = ${$(`${REQUESTS} li[aria-posinset="${index + 1}"] .request-row`)};
      window.requestId = window.row.querySelector('.id').textContent; window.row.click()`,
    isShown: () => `location.search.includes(window.requestId) && ${text('.timeline')}.includes(window.requestId) &&
      ${$('.step h3')}`,
  },
  {
    name: 'Back',
    before: (index) => `window.row = ${$$(`${REQUESTS} .request-row`)}[${index % 8}]; window.row.click();
      ${wait(`${$('.step h3')}`)}; window.requestId = new URLSearchParams(location.search).get('request');
      ${$$(`${REQUESTS} .request-row`)}[${(index + 1) % 8}].click();
      ${wait(`!location.search.includes(window.requestId) && ${$('.step h3')}`)}`,
    action: () => 'history.back()',
    isShown: () => `location.search.includes(window.requestId) && ${text('.timeline')}.includes(window.requestId) &&
      ${$('.step h3')}`,
  },
  {
    name: 'open the dead letters',
    before: () => `${tab('All requests')}.click(); ${wait($(`${REQUESTS} .request-row`))}`,
    action: () => `${tab('Dead letters')}.click()`,
    isShown: () => $('.dead-letter-title'),
  },
];

/** On the timeline of a message with a large body. */
export const read: readonly Interaction[] = [
  {
    name: 'open a JSON body of 100 KB',
    before: () => `${wait($('.json-body'))}; ${$('.json-body[open] summary')}?.click(); ${wait(`!${$('.json pre')}`)}`,
    action: () => `${$('.json-body summary')}.click()`,
    isShown: () => `${text('.json pre')}.length > 90_000`,
  },
];
