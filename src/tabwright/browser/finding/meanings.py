"""Words of like meaning: what people call things, and what pages write on them.

Pure data. A word may belong to several groups; words are alike if they share one, so a group holds only what may stand
for each of the others.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from tabwright.browser.finding.foreign_topics import TOPICS
from tabwright.browser.finding.foreign_words import FOREIGN
from tabwright.browser.finding.spelling import plain

_ANYWHERE: Final = """
    forgot forgotten forget lost recover, login signin signedin loggedin logon signon authenticate enter, logout
    signout logoff signoff exit power door, signup register join enroll createaccount, search find lookup query
    magnifier magnifying, delete remove trash bin discard erase destroy garbage wastebasket dustbin, remove times
    cross xmark, chat message conversation talk comments, close dismiss cross hide times xmark, cancel abort
    dismiss, end cancel terminate resign, add new create plus insert compose leave, edit change modify pencil rename
    update pen, save store keep apply submit update floppy disk, submit send confirm ok post done go continue
    proceed place, settings preferences options configuration configure gear cog cogwheel setup wrench sliders, menu
    hamburger burger navigation nav kebab bars, more menu overflow ellipsis dots kebab actions options, cart basket
    bag trolley, checkout pay payment purchase buy order, favorite favourite like heart love wishlist wish saved
    star bookmark, star favorite favourite rate, account profile user avatar me person member, home house dashboard
    main, help support question faq, notification notifications bell alert alerts, message messages inbox mail
    email, mail email envelope message, phone phonenumber telephone mobile tel cellphone, next forward following
    right older, previous prev back left earlier newer, forward share, back return, download export, upload import
    attach, attach attachment paperclip clip, refresh reload sync update rotate, print printer, copy duplicate clone
    clipboard, filter funnel refine, sort order arrange, play start run execute resume, pause stop, pause freeze
    suspend, stop halt end square, mute volume sound speaker audio, fullscreen maximize expand enlarge, expand open
    unfold show, collapse fold minimize hide minus, show view display reveal see eye visible, subtitles captions cc,
    language locale translate globe, theme appearance mode dark light, dark night, password passcode passphrase
    secret pin, username user userid loginname, repeat confirm confirmation again retype verify, maximum max upper
    most highest, minimum min lower least lowest, firstname first given forename, lastname last family surname,
    zipcode postcode postal zip, city town, country nation, company organization organisation employer, amount sum
    quantity qty, quantity qty count number amount, price cost, date day calendar when, time hour clock, comment
    reply note remark, reply answer respond response, description details text body content, title subject heading
    headline summary name, assignee assigned owner responsible, status state, priority urgency severity importance,
    label tag category, category section department, permission permissions rights access, group groups team, select
    choose pick, all every everything, transfer send wire move, move drag, increase increment plus up more, decrease
    decrement minus down less, raise increase higher warmer, lower decrease reduce cooler, zoom magnify, zoomin
    enlarge, from origin departure depart start source, swap reverse exchange invert flip switch, author writer by
    journalist, bookmark save later, handin turnin submit, standin deputy substitute replacement, why reason cause,
    renew extend prolong, absent absence away off, listen aloud hear audio, voucher coupon promo discount giftcard,
    warning notice alert banner, instructions note notes remark, font typeface text letters, bigger larger enlarge
    zoom increase, reserve book booking reservation, grade mark score rating, pupil student child kid, vacation
    holiday leave timeoff, sick ill illness, receiver recipient payee beneficiary, expiry expiration expires valid,
    birthday birthdate dob born, street road address, province region state canton, block ban, report flag, reject
    decline refuse deny, history log activity recent, chart graph diagram plot, to destination arrival arrive
    recipient, passenger adult traveller traveler guest people person child, language english deutsch francais
    espanol italiano, currency eur usd gbp euro dollar pound, trash bin recycle, song track title, link hyperlink
    url address, size weight length, photo picture image camera, meeting event appointment, employee staff worker
    colleague, customer client buyer, invoice bill receipt, shipping delivery shipment, room bed suite, phone call
    dial ring, microphone mic voice, camera webcam video, quit exit leave, approve accept confirm, comment note
    remark annotation, react reaction emoji smiley, mention at, unsubscribe mute unfollow, branch version, preview
    view, bug issue defect problem, deploy publish release, publish post release, analytics statistics stats reports
    report insights, team members people, invite share, seek progress timeline scrubber playback, direct nonstop,
    serving portion, grid tiles tile mosaic board kanban, business work, trip travel travelling traveling journey,
    remember keep stay, page pagination, document docs documentation, docs documentation manual, source code,
    picture image photo img avatar, video movie clip film, map maps, location place position where, layers
    satellite, terms conditions tos, privacy policy, cookie cookies consent, accept agree allow, today now, week
    weekly, month monthly, year yearly annual, task todo ticket issue, ticket issue bug, archive file store, spam
    junk, sent outbox, draft drafts, balance total sum, card creditcard, cvv cvc securitycode, coupon voucher promo
    discount code, rating stars review reviews, brand logo manufacturer, size dimension, color colour, toggle
    switch, enable activate on, disable deactivate off, invite add, contact contacts people, blog news articles,
    folder directory, kernel engine interpreter, terminal console shell, cell block, restart reboot reset, clear
    empty reset wipe remove, authorize authorise login
"""
"""What any page has."""

_DEEDS: Final = """
    silence mute quiet snooze, remove kick expel exclude eject, add put place, create setup, pullrequest pr mr,
    withdraw revoke rescind cancel retract recall, resend repeat again retry, stop end finish terminate kill quit,
    begin start launch, acknowledge ack confirm, unlock open, skip next jump, jump go scroll, upgrade premium pro,
    mark flag, tick check select, hand assign give delegate, take claim, vote upvote like agree, downvote dislike
    disagree, upvote up, downvote down, promote boost, pin stick, quote cite, translate translation, scan scanner,
    sign signature, rate rating review, restore recover undelete undo, rollback revert undo restore, compare
    comparison versus, embed insert, paste insert, crop trim cut, rotate turn, connect link pair, disconnect unlink
    unpair, install setup, uninstall remove, refund return money, track trace follow, watch follow subscribe,
    unwatch unfollow, join enter participate, hangup end, customize personalise personalize customise, validate
    check verify, test try check, schedule plan appointment book, postpone snooze defer reschedule later, reorder
    sort drag arrange, split divide, combine merge join, convert transform change, calculate compute estimate, draw
    sketch pen, highlight mark, maximize enlarge bigger, minimize shrink smaller, louder volume sound, quieter
    volume, shuffle random mix, loop repeat, rewind back
"""
"""What is done."""

_STATES: Final = """
    immediately instant instantly realtime express now, regular recurring standing scheduled repeat periodic,
    foreign international abroad overseas, domestic inland national local, cheap cheapest lowest low, expensive
    highest high, free gratis complimentary, new newest latest recent, old oldest earliest, popular trending top
    best bestseller hot, private personal hidden, public visible everyone, advanced expert options more, basic
    simple standard, unread new, unfinished draft incomplete, finished done complete completed closed, pending open
    waiting outstanding, failed error failure, optional voluntary, yearly annually annual, no not, until till to
    end, from since begin beginning start, max maximum limit upto, everyone everybody all anyone, everywhere all,
    offline download
"""
"""How things are."""

_MONEY: Final = """
    purpose reference memo reason, imprint legal notice, protection privacy, tax vat gst, fee charge cost, salary
    wage pay payroll income, loan credit mortgage, savings saving deposit, deposit topup add, withdraw withdrawal
    cash payout, statement statements extract, transactions transaction payments activity history turnover, budget
    limit, iban accountnumber, twitter tweet x, necessary essential required, account iban, payee beneficiary
    recipient vendor, donate donation support give tip, stock share equity, exchange rate currency
"""
"""Money."""

_SHOPS: Final = """
    size fit, offer deal sale discount bargain promotion, gift present, wrap wrapping packaging, pickup collect
    collection, shop store boutique market, supplier vendor seller merchant, guarantee warranty, stock availability
    available inventory, brand maker, reviews opinions testimonials, hotel accommodation stay lodging, luggage
    baggage suitcase, seat place, timetable schedule, ticket fare, train rail, flight plane, outbound departure
    outward, inbound return, roundtrip return, transfer change stop, platform track gate, breakfast meal board, bike
    bicycle cycle, car vehicle auto, route way directions navigate, nearby near around
"""
"""Shops and travel."""

_PEOPLE: Final = """
    sender from, recipient receiver addressee, cc copy, bcc blind, attachments files enclosed, thread conversation
    discussion topic, topic subject theme, post article entry message, forum board community, community discord chat
    forum slack, colleague coworker teammate, friend friends contact buddy, follower subscriber fan, founder starter
    creator author owner, administrator admin, moderator mod, role permission, role position job, job position
    vacancy opening career careers, resume cv, boss manager supervisor lead, doctor physician gp, patient client,
    appointment booking visit, medicine drug medication prescription, emergency urgent sos, teacher tutor
    instructor, course class lesson lecture, homework assignment task exercise, exam test quiz, address location,
    bio biography about, gender sex, nickname alias handle username displayname, birthplace born
"""
"""People and mail."""

_FILES: Final = """
    file document, files documents attachments, spreadsheet table sheet, presentation slides, recently recent
    history, shared sharing, storage space quota disk, repository repo project, fork copy, commit revision, changes
    diff changed, pipeline build ci workflow actions job, log logs output trace, server host node machine instance,
    environment env stage, variable variables parameter, key keys token secret credentials, apikey token key, api
    developer developers, integration integrations app apps plugin plugins connection connections extension addon,
    webhook webhooks callback, usage consumption, quota limit, uptime status health, monitoring metrics stats, alarm
    alert warning, incident outage issue, query request, schema structure, database db, row record entry, column
    field, workspace organization team, backup snapshot, version release, changelog releases news, tutorial guide
    quickstart lesson, guide manual handbook howto, started quickstart introduction start, recipe recipes cookbook,
    permalink anchor, introduction intro, contents toc, chapter section part
"""
"""Files, code, operations."""

_MEDIA: Final = """
    song track music tune, artist singer band musician performer, lyrics text words, playlist list, album record,
    queue upnext, position seek progress, channel creator, episode part, subtitle caption, quality resolution hd,
    speed rate playback, library collection, gallery album photos, television tv, tv fullscreen cinema
"""
"""Media and pictures."""

_LIFE: Final = """
    light lamp bulb lights, heating thermostat heater temperature radiator, blinds shutters curtains shades, alarm
    siren, room kitchen bedroom bathroom livingroom, scene routine automation, device appliance gadget, warmer
    increase plus, colder cooler decrease minus, brightness dim dimmer brighter darker, electricity power energy,
    flat apartment home house, rent rental lease, landlord owner agent, viewing visit tour appointment, floor storey
    level, floorplan layout plan, balcony terrace, furnished furniture, area size space surface, neighbourhood
    neighborhood district area surroundings, workout exercise training class session, trainer coach instructor,
    membership subscription plan contract, waitlist waitinglist, attendees participants guests, claim report damage
    loss, accident incident crash damage, policy contract insurance, witness witnesses, evidence proof documents
    receipts, injured injury hurt, doctor practitioner specialist, symptoms complaint complaints reason, insurance
    insurer coverage, allergy allergies allergic, prescription medication refill, results findings, vaccination
    vaccine shot, ingredient ingredients, method directions preparation steps instructions, cook cooking prepare,
    meal dish food, vegetarian veggie vegan meatless, course starter dessert main, calories nutrition, servings
    portions persons people serves, guests people persons adults, nights stay, amenities facilities features, pool
    swimming, parking garage carpark, wifi internet, refundable cancellation cancelable, checkin checkout arrival
    departure, vehicle licence plate, mileage kilometers kilometres, applicant candidate, apply application, remote
    homeoffice telework, fulltime parttime, hire recruit, payslip salary, expense expenses reimbursement, timesheet
    hours, form application, passport id identity, marital married single, citizenship nationality, weather
    forecast, match game fixture, score result, event concert show, venue location place, bill invoice statement,
    tariff plan package rate, sim esim, data gigabytes traffic, spawn users, peak maximum top, requests failures,
    swarm start run, ramp rate speed, lead prospect opportunity, deal opportunity sale, stage phase step status,
    company organisation business account, website homepage web site url, contact person, won success, lost failed,
    followup reminder task, remind reminder remember, memo note
"""
"""Homes, health, cars, work, public offices."""

_PARTS: Final = """
    sidebar side, period range timeframe time, duration length time, timezone utc gmt, hour hours time, overview
    dashboard summary home, announcement news notice, newsletter news updates, subscribe signup register newsletter,
    sound sounds audio, picture wallpaper background, shortcut shortcuts hotkey, appearance look style, license
    licence, feedback suggestion opinion, survey poll questionnaire, unsubscribe optout, bottom end, twofactor 2fa
    mfa otp, code otp pin, consent permission, widget panel tile, digest summary, mute dnd disturb quiet silence,
    reviewer reviewers review reviews, assignee assign, milestone goal, deadline due, estimate guess, progress
    percent, customer customers guest, discount reduction, points rewards loyalty bonus
"""
"""The page and its parts."""

_SHORT: Final = """
    monday mon, tuesday tue tues, wednesday wed, thursday thu thur thurs, friday fri, saturday sat, sunday sun,
    january jan, february feb, march mar, april apr, june jun, july jul, august aug, september sep sept, october
    oct, november nov, december dec, application app, document doc, picture pic, image img, number num nr, category
    cat, organization org, reference ref, developer dev, favorite fav, message msg, invoice inv, password pwd,
    address addr, department dept, average avg, temperature temp, description desc, previous prev, administrator
    admin, information info, transaction txn, development dev, version ver, repository repo, hour hr hrs, minute min
    mins, second sec secs
"""
"""What is cut short."""

_ABROAD: Final = (*FOREIGN.split(","), *TOPICS.split(","))


def _groups() -> Mapping[str, frozenset[int]]:
    parts = (_ANYWHERE, _DEEDS, _STATES, _MONEY, _SHOPS, _PEOPLE, _FILES, _MEDIA, _LIFE, _PARTS, _SHORT)
    found: defaultdict[str, set[int]] = defaultdict(set)
    groups = ",".join(parts).split(",")
    for number, group in enumerate(groups):
        for word in group.split():
            found[word].add(number)
    # what a word of another language means is what the English one does that a group begins with
    meant = {
        word: {number for number in numbers if groups[number].split()[0] == word} for word, numbers in found.items()
    }
    for number, group in enumerate(_ABROAD, len(groups)):
        english, *words = plain(group).split()
        found[english].add(number)
        for word in words:
            found[word] |= {number, *(meant.get(english, ()) if word not in meant else ())}
    return {word: frozenset(numbers) for word, numbers in found.items()}


ABROAD: Final = frozenset(word for group in _ABROAD for word in group.split()[1:] if len(word) > 3)
"""Words of other languages, as far as they can be parts of others."""

CONCEPTS: Final[Mapping[str, frozenset[int]]] = _groups()
"""Which groups of like meaning a word belongs to."""
