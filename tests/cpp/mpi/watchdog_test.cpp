/// The limit of the watchdog, and the questions that watchdogs ask each other.
#include "tradewind/mpi/watchdog/watchdog.hpp"
#include "testing.hpp"
#include "tradewind/mpi/watchdog/contact.hpp"

using namespace tradewind;

TEST_CASE("the limit of the watchdog is a time with or without a unit, or off") {
    CHECK(mpi::read_limit("30") == 30);
    CHECK(mpi::read_limit("0.5") == 0.5);
    CHECK(mpi::read_limit("2 s") == 2);
    CHECK(mpi::read_limit("250ms") == 0.25);
    CHECK(mpi::read_limit("1e3 us") == 1e-3);
    CHECK(mpi::read_limit("") == 0);
    CHECK(mpi::read_limit("off") == 0);
    for (const char* const wrong : {"0", "-1", "nan", "inf", "1e9", "soon", "3 days", "1 s s", "s"})
        CHECK(mpi::read_limit(wrong) < 0);
}

TEST_CASE("a process answers those who know its secret only") {
    using State = mpi::ProcessState;
    const auto state = [] { return State{State::Activity::waits, "has waited"}; };
    const mpi::Contact contact = mpi::answer_questions(3, state);
    CHECK(contact.port != 0);
    CHECK(contact.rank == 3);
    const State answer = mpi::ask(contact, contact);
    CHECK(answer.activity == State::Activity::waits);
    CHECK(answer.text == "has waited");
    mpi::Contact elsewhere = contact;
    elsewhere.host = {'o', 't', 'h', 'e', 'r'};
    // By the address that other machines use, if there is one.
    if (contact.address_count > 0) CHECK(mpi::ask(elsewhere, contact).text == "has waited");
    mpi::Contact stranger = contact;
    ++stranger.secret;
    CHECK(mpi::ask(contact, stranger).activity == State::Activity::unknown);
}
